// Takes each fence out of a copy of the project, and shows that its own tests notice and that the other fences hold.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ensureBuilt } from "./built.js";
import { problems, takeOut } from "./fence-check.js";
import { ensureInstalled } from "./installed.js";
import { main } from "./main.js";
import { ROOT } from "./project.js";
import { run } from "./run.js";
import { say } from "./say.js";

/** @typedef {import("./fence-check.js").Named} Named */

const LEFT_BEHIND = new Set(["node_modules", ".git"]);

function copyProject() {
  const dir = `${realpathSync(mkdtempSync(join(tmpdir(), "fence-")))}/`;
  cpSync(ROOT, dir, {
    recursive: true,
    filter: (from) => !LEFT_BEHIND.has(relative(ROOT, from)),
  });
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  return dir;
}

/**
 * Builds the copy and runs the named tests in it.
 * @param {string} dir
 * @param {readonly Named[]} tests
 * @returns {Promise<import("./conformance.js").Report>}
 */
async function runTests(dir, tests) {
  // What used a fence may be unused without it.
  const lenient = ["--noUnusedLocals", "false", "--noUnusedParameters", "false"];
  const built = await run(process.execPath, ["scripts/build.js", ...lenient], { cwd: dir });
  if (built !== 0) throw new Error("the copy doesn't build: see above");
  const file = join(dir, ".cache/fence.json");
  const files = [...new Set(tests.map((test) => test.file))];
  const titles = [...new Set(tests.map(({ title }) => title))].join("|");
  const output = ["--reporter=json", `--outputFile.json=${file}`];
  const vitest = join(dir, "node_modules/vitest/vitest.mjs");
  await run(process.execPath, [vitest, "run", ...files, "-t", titles, ...output], {
    cwd: dir,
    stdout: "quiet",
  });
  if (!existsSync(file)) throw new Error("vitest wrote no report");
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * @param {import("./fence-check.js").Fence} fence
 * @param {readonly Named[]} leaks
 */
async function checkFence({ edits, red }, leaks) {
  const dir = copyProject();
  try {
    for (const edit of edits) {
      const file = join(dir, edit.file);
      writeFileSync(file, takeOut(readFileSync(file, "utf8"), edit));
    }
    const report = await runTests(dir, [...red, ...leaks]);
    return problems(report, { red, leaks }, dir);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  /** @type {import("./fence-check.js").Fences} */
  const { leaks, fences } = JSON.parse(
    readFileSync(join(ROOT, "tests/fences/fences.json"), "utf8"),
  );
  const only = process.argv.slice(2);
  const chosen = fences.filter(({ fence }) => only.length === 0 || only.includes(fence));
  if (chosen.length === 0) throw new Error("no such fence");

  // Red means something only where the same tests are green with every fence standing.
  const all = [...leaks, ...chosen.flatMap(({ red }) => red)];
  const whole = { fence: "(none taken out)", edits: [], red: [] };
  let failed = 0;
  for (const fence of [whole, ...chosen]) {
    say(`without ${fence.fence}`);
    const found = await checkFence(fence, fence === whole ? all : leaks);
    if (found.length > 0) failed += 1;
    const [first = "noticed by its own tests, nothing leaks", ...others] = found;
    const verdict = fence === whole && found.length === 0 ? "all tests green" : first;
    process.stdout.write(
      `${found.length > 0 ? "FAIL" : "ok  "}  ${fence.fence.padEnd(22)}${verdict}\n`,
    );
    for (const other of others) process.stdout.write(`${" ".repeat(28)}${other}\n`);
  }
  process.stdout.write(`${chosen.length + 1 - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
});
