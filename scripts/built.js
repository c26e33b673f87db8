import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { filesBelow, fingerprint } from "./fingerprint.js";
import { CACHE, ROOT } from "./project.js";
import { run } from "./run.js";
import { say } from "./say.js";

const require = createRequire(import.meta.url);

/** Beside the modules of `storage/`, where the driver looks for it. */
const TEMPLATE = "dist/storage/pglite-template.tar.gz";

/** The policies as they were checked, beside the modules of `policy/`. */
const POLICIES = "dist/policy/checked-policies.json";

/** Exports `checkPolicies()`. */
const POLICY_CHECKER = "dist/policy/policy-files.js";

/** Exports `buildTemplate(file)`. */
const TEMPLATE_MAKER = "dist/storage/drivers/pglite-database.js";

/**
 * Makes `dist/` from `src/`: code and types, migrations, the policies as they were checked, and the packed database that
 * new data directories start from. Does nothing where `dist/` was made from the same sources.
 * @param {{ tscArgs?: readonly string[] }} [options]
 */
export async function ensureBuilt({ tscArgs = [] } = {}) {
  const sources = filesBelow(ROOT, "src").filter((file) => !isTest(file));
  const stampFile = join(CACHE, "build.stamp");
  const config = ["tsconfig.json", "tsconfig.build.json"];
  const policies = filesBelow(ROOT, "policies");
  const stamp = fingerprint(ROOT, [...sources, ...policies, ...config], versionOf("typescript"));
  const whole = [...outputsOf(sources), POLICIES].every((file) => existsSync(join(ROOT, file)));
  if (whole && read(stampFile) === stamp) return;

  say("building dist/");
  mkdirSync(CACHE, { recursive: true });
  rmSync(stampFile, { force: true });
  await compile({ fresh: !whole, tscArgs });
  copyMigrations(sources);
  removeStale(sources);
  await packTemplate(sources);
  const { checkPolicies } = await import(pathToFileURL(join(ROOT, POLICY_CHECKER)).href);
  checkPolicies();
  makeExecutable();
  writeFileSync(stampFile, stamp);
}

/** @param {string} file */
function isTest(file) {
  return /(\.test|[/-]conformance)\.ts$/.test(file);
}

/** @param {readonly string[]} sources */
function outputsOf(sources) {
  return sources.flatMap((file) => {
    const to = file.replace(/^src\//, "dist/");
    if (file.endsWith(".sql")) return [to];
    if (!file.endsWith(".ts")) return [];
    const stem = to.slice(0, -".ts".length);
    return [`${stem}.js`, `${stem}.js.map`, `${stem}.d.ts`];
  });
}

/** @param {{ fresh: boolean, tscArgs: readonly string[] }} options */
async function compile({ fresh, tscArgs }) {
  const known = join(CACHE, "build.tsbuildinfo");
  // With what it knows of the last build the compiler writes only what changed since.
  if (fresh) rmSync(known, { force: true });
  const tsc = require.resolve("typescript/bin/tsc");
  const incremental = ["--incremental", "--tsBuildInfoFile", known];
  const args = [tsc, "-p", "tsconfig.build.json", ...incremental, ...tscArgs];
  const code = await run(process.execPath, args, { cwd: ROOT });
  if (code !== 0) throw new Error("the sources don't compile: see above");
}

/** @param {readonly string[]} sources */
function copyMigrations(sources) {
  for (const file of sources.filter((source) => source.endsWith(".sql"))) {
    const to = join(ROOT, file.replace(/^src\//, "dist/"));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(ROOT, file), to);
  }
}

/**
 * A source that is gone must not live on in `dist/`.
 * @param {readonly string[]} sources
 */
function removeStale(sources) {
  const made = new Set([...outputsOf(sources), TEMPLATE, POLICIES]);
  for (const file of filesBelow(ROOT, "dist")) {
    if (!made.has(file)) rmSync(join(ROOT, file));
  }
}

/**
 * Making the template runs initdb, which is slow: it is kept by what goes into it.
 * @param {readonly string[]} sources
 */
async function packTemplate(sources) {
  const migrator = ["src/storage/migrate.ts", "src/storage/drivers/pglite-database.ts"];
  const migrations = sources.filter((file) => file.endsWith(".sql") || migrator.includes(file));
  const key = fingerprint(ROOT, migrations, versionOf("@electric-sql/pglite"));
  const kept = join(CACHE, `template-${key.slice(0, 16)}.tar.gz`);
  if (!existsSync(kept)) {
    say("packing the database template");
    for (const old of filesBelow(ROOT, ".cache").filter((file) => /\/template-/.test(file))) {
      rmSync(join(ROOT, old));
    }
    const { buildTemplate } = await import(pathToFileURL(join(ROOT, TEMPLATE_MAKER)).href);
    await buildTemplate(kept);
  }
  copyFileSync(kept, join(ROOT, TEMPLATE));
}

function makeExecutable() {
  const main = join(ROOT, "dist/cli/main.js");
  if (existsSync(main)) chmodSync(main, 0o755);
}

/** @param {string} name */
function versionOf(name) {
  return JSON.parse(read(`node_modules/${name}/package.json`)).version;
}

/**
 * Text of a file, `""` where there is none.
 * @param {string} file
 */
function read(file) {
  const at = file.startsWith(ROOT) ? file : join(ROOT, file);
  return existsSync(at) ? readFileSync(at, "utf8") : "";
}
