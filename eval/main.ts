import { runLocomo } from "./locomo.js";
import type { Figures } from "./measure.js";
import type { Report } from "./report.js";

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
  const named = (before: string, figures: Readonly<Record<string, Figures>>) =>
    Object.entries(figures).map(([name, own]) => line(before + name, own));
  const head = ["".padEnd(16), "questions", ...["r@5", "r@10", "r@25", "MRR"].map(padded)].join(
    " ",
  );
  return [
    head,
    ...named("category ", report.categories),
    line("all", report.all),
    "",
    ...named("", report.conversations),
    line("cross-validated", report.crossValidated),
    "",
    ...named("", report.ablations),
    "",
    line("adversarial", report.adversarial),
    "",
  ].join("\n");
}

function line(name: string, { questions, r5, r10, r25, mrr }: Figures): string {
  const shares = [r5, r10, r25, mrr].map((share) => padded(share.toFixed(3)));
  return [name.padEnd(16), String(questions).padStart(9), ...shares].join(" ");
}

function padded(text: string): string {
  return text.padStart(7);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`eval: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
