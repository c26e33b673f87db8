import { execFile, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TenantId } from "../../domain/ids.js";
import type { Keyring } from "../../domain/keyring.js";
import type { LedgerEntry } from "../../domain/ledger.js";
import { LIMITS } from "../../domain/limits.js";
import { keyId, MASTER_A, PLACE, subjectId, TestClock, tenantId } from "./conformance.js";
import { openFileCustody } from "./file.js";
import { ledgerLine } from "./ledger-conformance.js";

const ROUNDS = 20;
const SRC = resolve(import.meta.dirname, "../..");
const work = mkdtempSync(join(tmpdir(), "muniment-crash-"));
const custody = join(work, "custody");

// Creates keys in waves and destroys every third one; says what was acknowledged, one line each, until it is killed.
const WRITER = `
  import { writeSync } from "node:fs";
  import { openFileCustody } from "./custody/drivers/file.js";
  const [dir, value, start] = process.argv.slice(2);
  const id = (kind, n) => "00000000-0000-7000-800" + kind + "-" + n.toString(16).padStart(12, "0");
  const place = ${JSON.stringify(PLACE)};
  const intent = ${JSON.stringify(ledgerLine(1))};
  const clock = { now: () => new Date() };
  const keyring = await openFileCustody({ dir, masterKey: { value }, clock, expect: "new-or-existing" });
  for (let n = Number(start); ; n += 8) {
    await Promise.all(Array.from({ length: 8 }, async (_, i) => {
      const ids = [id(1, 1), id(2, n + i), id(3, n + i)];
      const key = await keyring.createSubjectKey(...ids);
      const sealed = Buffer.from(key.seal(place, "text " + (n + i))).toString("base64");
      writeSync(1, "made " + (n + i) + " " + sealed + "\\n");
      if ((n + i) % 3 === 0) {
        const line = { ...intent, target: ids[1], subject: ids[1], keyId: ids[2], at: clock.now() };
        const [entry] = await keyring.ledger.append(ids[0], [line]);
        writeSync(1, "intent " + (n + i) + " " + entry.seq + "\\n");
        writeSync(1, "destroying " + (n + i) + "\\n");
        await keyring.destroySubjectKey(...ids);
        writeSync(1, "destroyed " + (n + i) + "\\n");
      }
    }));
  }
`;

// Appends to the ledger on a disk that takes no more at some point; says what was acknowledged and what was refused.
const FILLER = `
  import { writeSync } from "node:fs";
  import { openFileCustody } from "./custody/drivers/file.js";
  const [dir, value] = process.argv.slice(2);
  const clock = { now: () => new Date() };
  const keyring = await openFileCustody({ dir, masterKey: { value }, clock, expect: "existing" });
  const intent = ${JSON.stringify(ledgerLine(1))};
  let refusals = 0;
  while (refusals < 3) {
    await keyring.ledger.append("${tenantId(2)}", [{ ...intent, at: clock.now() }]).then(
      ([{ seq }]) => writeSync(1, "appended " + seq + "\\n"),
      ({ kind, message }) => { refusals += 1; writeSync(1, kind + " " + message + "\\n"); },
    );
  }
  const head = await keyring.ledger.head("${tenantId(2)}");
  writeSync(1, "head " + head.seq + "\\n");
  await keyring.close();
`;

/** The sources as JavaScript: a second process can't run TypeScript on every Node that we support. */
function transpile(folder: string): void {
  for (const file of readdirSync(join(SRC, folder), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts") || file.endsWith("conformance.ts"))
      continue;
    const target = join(work, folder, file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    const compilerOptions = {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    };
    writeFileSync(
      target,
      ts.transpileModule(readFileSync(join(SRC, folder, file), "utf8"), { compilerOptions })
        .outputText,
    );
  }
}

/** Runs the writer, kills it (SIGKILL) after so many lines, and gives all that it had acknowledged. */
function runUntilKilled(start: number, linesMax: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [
    join(work, "writer.js"),
    custody,
    MASTER_A,
    String(start),
  ]);
  let text = "";
  let problems = "";
  child.stderr.on("data", (chunk: Buffer) => {
    problems += chunk.toString();
  });
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    if (text.split("\n").length > linesMax) child.kill("SIGKILL");
  });
  return new Promise((done, failed) => {
    child.once("close", (_, signal) => {
      if (signal === "SIGKILL") done(text.split("\n").slice(0, -1));
      else failed(new Error(`the writer ended by itself: ${problems}`));
    });
  });
}

async function allEntries(keyring: Keyring, tenant: TenantId): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (;;) {
    const more = await keyring.ledger.read(tenant, entries.length, LIMITS.ledgerRowsMax);
    if (more.length === 0) return entries;
    entries.push(...more);
  }
}

beforeAll(() => {
  for (const folder of ["domain", "custody"]) transpile(folder);
  writeFileSync(join(work, "package.json"), '{"type":"module"}');
  writeFileSync(join(work, "writer.js"), WRITER);
  writeFileSync(join(work, "filler.js"), FILLER);
  symlinkSync(resolve(SRC, "../node_modules"), join(work, "node_modules"));
});
afterAll(() => rmSync(work, { recursive: true }));

describe("kill -9", () => {
  it("S2-29 S5-08 loses no acknowledged key or ledger line and brings no key back, twenty times on one custody", async () => {
    const made = new Map<number, string>();
    const intents = new Map<number, number>();
    const destroying = new Set<number>();
    const destroyed = new Set<number>();
    const T = tenantId(1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const lines = await runUntilKilled(round * 10_000 + 1, 5 + round * 7);
      for (const [act, number, more = ""] of lines.map((line) => line.split(" "))) {
        if (act === "made") made.set(Number(number), more);
        if (act === "intent") intents.set(Number(more), Number(number));
        if (act === "destroying") destroying.add(Number(number));
        if (act === "destroyed") destroyed.add(Number(number));
      }
      const options = { dir: custody, masterKey: { value: MASTER_A }, clock: new TestClock() };
      const keyring = await openFileCustody({ ...options, expect: "existing" });
      for (const [n, sealed] of made) {
        const key = await keyring.subjectKey(T, subjectId(n), keyId(n));
        if (destroyed.has(n)) expect(key).toBeNull();
        else if (!destroying.has(n))
          expect(key?.open(PLACE, Buffer.from(sealed, "base64"))).toBe(`text ${n}`);
      }
      // A line whose acknowledgement was cut off may stand too: it was durable.
      const entries = await allEntries(keyring, T);
      for (const [seq, n] of intents)
        expect(entries[seq - 1]).toMatchObject({ seq, target: subjectId(n) });
      await keyring.close();
    }
    expect(made.size).toBeGreaterThan(ROUNDS * 5);
    expect(destroyed.size).toBeGreaterThan(ROUNDS);
  });
});

// A limit on the size of files is what a full disk is to one process: a write gets through in part, or not at all.
describe.skipIf(process.platform === "win32")("a disk that is full", () => {
  it("S5-08 acknowledges no line that isn't there, says so, and goes on when there is room", async () => {
    const dir = join(work, "full");
    const options = { dir, masterKey: { value: MASTER_A }, clock: new TestClock() };
    const T = tenantId(2);
    await (await openFileCustody({ ...options, expect: "new-or-existing" })).close();
    const filler = [process.execPath, join(work, "filler.js"), dir, MASTER_A];
    const { stdout } = await promisify(execFile)("sh", [
      "-c",
      'ulimit -f 16; exec "$@"',
      "sh",
      ...filler,
    ]);
    const said = stdout.trimEnd().split("\n");
    const appended = said.filter((line) => line.startsWith("appended")).length;
    expect(appended).toBeGreaterThan(5);
    const refused = `unavailable the ledger \`${join(dir, "ledger.log")}\` can't be written`;
    expect(said.slice(appended)).toEqual([refused, refused, refused, `head ${appended}`]);
    const keyring = await openFileCustody({ ...options, expect: "existing" });
    expect(await keyring.ledger.append(T, [ledgerLine(2)])).toMatchObject([{ seq: appended + 1 }]);
    expect(await allEntries(keyring, T)).toHaveLength(appended + 1);
    await keyring.close();
  });
});
