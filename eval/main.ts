import { runLocomo } from "./locomo.js";
import { runObserve } from "./observe.js";
import { observeTableOf } from "./observe-table.js";
import { tableOf } from "./table.js";

const USAGE = `usage: npm run -s eval -- locomo FILE [--vectors] [--json]
       npm run -s eval -- observe FILE [--model URL NAME | --scripted] [--json]
`;

async function main(args: readonly string[]): Promise<number> {
  const at = args.indexOf("--model");
  const [modelUrl, modelName] = at < 0 ? [] : args.slice(at + 1);
  const plain = at < 0 ? args : args.toSpliced(at, 3);
  const flags = ["--json", "--vectors", "--scripted"];
  const [name, file, ...rest] = plain.filter((arg) => !flags.includes(arg));
  const [vectors, isScripted] = [args.includes("--vectors"), args.includes("--scripted")];
  const isKnown =
    (name === "locomo" && at < 0 && !isScripted) ||
    (name === "observe" && !vectors && (at < 0 || (modelName !== undefined && !isScripted)));
  if (!isKnown || file === undefined || rest.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const named = modelUrl === undefined || modelName === undefined ? null : { modelUrl, modelName };
  const model = isScripted ? "scripted" : named;
  const asJson = args.includes("--json");
  const tell = (line: string) => process.stderr.write(asJson ? "" : `${line}\n`);
  const say = <Report>(report: Report, table: (report: Report) => string) =>
    process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : table(report));
  if (name === "observe") say(await runObserve(file, model, tell), observeTableOf);
  else say(await runLocomo(file, vectors, tell), tableOf);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`eval: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
