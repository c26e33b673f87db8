import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "./built.js";
import { missingRows, render, rowsOf, unknownIds } from "./conformance.js";
import { ensureInstalled } from "./installed.js";
import { main } from "./main.js";
import { lastLine, outcomeOf } from "./outcome.js";
import { CACHE, ROOT } from "./project.js";
import { run } from "./run.js";
import { say } from "./say.js";

/** Enough for a dozen of them: what fails in hundreds has one cause. */
const PROBLEMS_CHARS_MAX = 4_000;

/** Rows may be missing while the suites are still being written. */
const LENIENT = "--allow-missing-rows";

/** @param {import("./outcome.js").Outcome} outcome */
function finish(outcome) {
  process.stdout.write(`${lastLine(outcome)}\n`);
  return outcome.failed === 0 ? 0 : 1;
}

/** @param {string} file */
function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

/**
 * Writes docs/conformance.md and tells what it lacks.
 * @param {import("./conformance.js").Report} report
 */
function conform(report) {
  const requirements = readJson(join(ROOT, "docs/requirements.json"));
  const rows = rowsOf(requirements, report, ROOT);
  writeFileSync(join(ROOT, "docs/conformance.md"), render(rows));
  const unknown = unknownIds(requirements, report).map((id) => `unknown id in a title: ${id}`);
  const missing = missingRows(requirements, rows).map((id) => `missing row: ${id}`);
  return { unknown, missing };
}

await main(async () => {
  const given = process.argv.slice(2);
  const args = given.filter((arg) => arg !== LENIENT);
  try {
    await ensureInstalled();
    await ensureBuilt();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return finish({ passed: 0, failed: 1 });
  }
  mkdirSync(CACHE, { recursive: true });
  const file = join(CACHE, "vitest.json");
  rmSync(file, { force: true });
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const code = await run(process.execPath, [vitest, "run", ...args], {
    cwd: ROOT,
    stdout: "inherit",
  });
  const problems = join(CACHE, "test-problems.txt");
  if (existsSync(problems))
    process.stdout.write(`${readFileSync(problems, "utf8").slice(0, PROBLEMS_CHARS_MAX)}\n`);
  const report = readJson(file);
  const outcome = outcomeOf(report, code);
  // Only a whole run can say what is missing.
  if (report === null || args.length > 0) return finish(outcome);
  const { unknown, missing } = conform(report);
  for (const line of [...unknown, ...missing]) say(line);
  const lacking = unknown.length + (given.includes(LENIENT) ? 0 : missing.length);
  return finish({ ...outcome, failed: outcome.failed + lacking });
});
