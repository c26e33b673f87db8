import { runLocomo } from "./locomo.js";
import type { Figures, Report } from "./measure.js";

const USAGE = "usage: npm run -s eval -- locomo FILE [--json]\n";

async function main(args: readonly string[]): Promise<number> {
  const asJson = args.includes("--json");
  const [name, file, ...rest] = args.filter((arg) => arg !== "--json");
  if (name !== "locomo" || file === undefined || rest.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const report = await runLocomo(file, (line) => process.stderr.write(asJson ? "" : `${line}\n`));
  process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : table(report));
  return 0;
}

function table(report: Report): string {
  const line = (name: string, questions: number, { r5, r10, r25, mrr }: Figures): string =>
    [
      name.padEnd(12),
      String(questions).padStart(9),
      ...[r5, r10, r25, mrr].map((share) => share.toFixed(3).padStart(7)),
    ].join(" ");
  const rows = Object.entries(report.categories).map(([name, own]) =>
    line(`category ${name}`, own.questions, own),
  );
  const head = [
    "".padEnd(12),
    "questions",
    ...["r@5", "r@10", "r@25", "MRR"].map((name) => name.padStart(7)),
  ].join(" ");
  return [head, ...rows, line("all", report.questions, report.all), ""].join("\n");
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`eval: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
