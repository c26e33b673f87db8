import { runLocomo } from "./locomo.js";
import { tableOf } from "./table.js";

const USAGE = "usage: npm run -s eval -- locomo FILE [--vectors] [--json]\n";

async function main(args: readonly string[]): Promise<number> {
  const [name, file, ...rest] = args.filter((arg) => arg !== "--json" && arg !== "--vectors");
  if (name !== "locomo" || file === undefined || rest.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const asJson = args.includes("--json");
  const tell = (line: string) => process.stderr.write(asJson ? "" : `${line}\n`);
  const report = await runLocomo(file, args.includes("--vectors"), tell);
  process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : tableOf(report));
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`eval: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
