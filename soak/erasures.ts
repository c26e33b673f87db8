import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { backupDatabase } from "../src/compose/backup.js";
import type { Operations } from "../src/compose/operations.js";
import { isKept } from "../src/domain/erased-stores.js";
import { MunimentError } from "../src/domain/errors.js";
import { routeBody } from "../tests/support/muniment.js";
import { openPlace, type SoakKind, withMuniment } from "./place.js";

const STAYING = 100;
const TALKERS = 8;
const ERASERS = 4;
const TRIES_MAX = 10;

/** The last four must be nought, and `seen` isn't: the same search finds who stayed. */
export interface ErasureCounts {
  erased: number;
  staying: number;
  /** Words and names of those who stayed, in the export. */
  seen: number;
  /** Turns that others said meanwhile. */
  saidMeanwhile: number;
  /** Rows that still name somebody who was erased, of those that aren't the record of it. */
  rowsLeft: number;
  /** Places in backups, exports, files of the database and of the custody with a word or a name of theirs. */
  found: number;
  /** Erasures whose receipt doesn't hold. */
  unverified: number;
  /** People who stayed, and whose rows aren't byte for byte those of before. */
  changed: number;
}

interface Person {
  readonly name: string;
  readonly run: string;
}

/** Erases most of the people of a tenant while others talk on, and looks for them in every byte that is left. */
export async function soakErasures(
  kind: SoakKind,
  leaving: number,
  random: () => number,
  say: (line: string) => void,
): Promise<ErasureCounts> {
  const place = await openPlace(kind);
  try {
    const settings = await place.fresh();
    const before = join(place.dir, "before");
    const after = join(place.dir, "after");
    const people = await withMuniment(settings, async (as) => {
      await as("operator").putRoute("chat", routeBody());
      return await fill(as("app"), leaving + STAYING, say);
    });
    await backupDatabase(settings, before);
    const shuffled = people.map((person) => ({ person, at: random() }));
    const order = shuffled.sort((a, b) => a.at - b.at).map(({ person }) => person);
    const [gone, staying] = [order.slice(0, leaving), order.slice(leaving)];
    const exported: string[] = [];
    const { said, unverified } = await withMuniment(settings, async (as) => {
      const talk = startTalking(as("app"));
      const erasures = await eraseAll(as("privacy_officer"), gone, say);
      const spoken = await talk.stop();
      let broken = 0;
      for (const id of erasures)
        if (!(await as("privacy_officer").verifyErasure(id, {})).ok) broken += 1;
      for await (const line of as("privacy_officer").exportTenant()) exported.push(line);
      return { said: spoken, unverified: broken };
    });
    await backupDatabase(settings, after);
    const ids = await subjectsOf(before);
    const goneIds = new Set(gone.map(({ run }) => ids.get(run) ?? ""));
    const [rowsBefore, rowsAfter] = [await linesOf(before), await linesOf(after)];
    return {
      erased: gone.length,
      staying: staying.length,
      seen: countTexts(exported, staying),
      saidMeanwhile: said,
      rowsLeft: countRows(rowsAfter, goneIds),
      found: countTexts(exported, gone) + (await countInFiles(place.files(after), gone)),
      unverified,
      changed: staying.filter(({ run }) => {
        const id = ids.get(run) ?? "";
        return rowsBefore.get(id)?.join("\n") !== rowsAfter.get(id)?.join("\n");
      }).length,
    };
  } finally {
    await place.stop();
  }
}

async function fill(app: Operations, count: number, say: (line: string) => void) {
  const people: Person[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = `person-${n}@walrus.example`;
    const asked = { route_id: "chat", goal: `about walrus${n}zebra` };
    const { run_id: run } = await app.startRun(name, "main", asked);
    const text = `walrus${n}zebra`;
    const turns = [
      { role: "user" as const, text, source_id: `${name}/1`, speaker: name },
      { role: "assistant" as const, text: `Yes, ${text}.` },
    ];
    await app.appendTurns(run, { turns });
    await app.completeStage(run, "facts", { output: { text }, notes: [text] });
    await app.assemble(run, { recall: { query: text } });
    people.push({ name, run });
    if ((n + 1) % 200 === 0) say(`${n + 1} of ${count} people`);
  }
  return people;
}

/** People of their own say something, again and again, until they are told to stop. */
function startTalking(app: Operations) {
  let isOver = false;
  const talking = Array.from({ length: TALKERS }, async (_, n) => {
    const asked = { route_id: "chat", goal: "talk" };
    const { run_id: run } = await app.startRun(`talker-${n}`, "main", asked);
    let said = 0;
    for (; !isOver; said += 1) {
      const turns = [{ role: "user" as const, text: `line ${said}` }];
      await patiently(() => app.appendTurns(run, { turns }));
      await setImmediate();
    }
    return said;
  });
  return {
    stop: async () => {
      isOver = true;
      return (await Promise.all(talking)).reduce((sum, said) => sum + said, 0);
    },
  };
}

async function eraseAll(
  privacy: Operations,
  people: readonly Person[],
  say: (line: string) => void,
): Promise<readonly string[]> {
  const waiting = [...people];
  const erasures: string[] = [];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { name } = next;
      erasures.push((await patiently(() => privacy.eraseSubject(name, {}))).erasure_id);
      if (erasures.length % 200 === 0) say(`${erasures.length} of ${people.length} erased`);
    }
  };
  await Promise.all(Array.from({ length: ERASERS }, work));
  return erasures;
}

/** The same again where the database was too busy: what was begun is finished, what is done is answered as before. */
async function patiently<R>(ask: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries += 1)
    try {
      return await ask();
    } catch (error) {
      const isBusy = error instanceof MunimentError && error.kind === "unavailable";
      if (!isBusy || tries === TRIES_MAX) throw error;
    }
}

interface Line {
  readonly table: string;
  readonly text: string;
}

/** Rows of a backup, by the person whom they name; without the trail of who looked. */
async function linesOf(dir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = new Map<string, string[]>();
  for (const { table, text } of await rowsOf(dir)) {
    const { subject_id: subject } = JSON.parse(text) as { readonly subject_id?: string };
    if (subject === undefined || isKept(table)) continue;
    lines.set(subject, [...(lines.get(subject) ?? []), `${table} ${text}`]);
  }
  return new Map([...lines].map(([subject, texts]) => [subject, texts.sort()]));
}

async function rowsOf(dir: string): Promise<readonly Line[]> {
  const rows: Line[] = [];
  for (const name of readdirSync(dir).filter((file) => file.endsWith(".jsonl"))) {
    const table = name.replace(".jsonl", "");
    for await (const text of createInterface({ input: createReadStream(join(dir, name)) }))
      if (text !== "") rows.push({ table, text });
  }
  return rows;
}

async function subjectsOf(dir: string): Promise<ReadonlyMap<string, string>> {
  const rows = (await rowsOf(dir)).filter(({ table }) => table === "run");
  return new Map(
    rows.map(({ text }) => {
      const { run_id, subject_id } = JSON.parse(text) as Record<string, string>;
      return [String(run_id), String(subject_id)];
    }),
  );
}

function countRows(
  rows: ReadonlyMap<string, readonly string[]>,
  gone: ReadonlySet<string>,
): number {
  return [...rows].reduce((sum, [id, lines]) => sum + (gone.has(id) ? lines.length : 0), 0);
}

const NAMED = /walrus(\d+)zebra|person-(\d+)@walrus/g;

function countTexts(texts: readonly string[], gone: readonly Person[]): number {
  const numbers = new Set(gone.map(({ name }) => name.match(/\d+/)?.[0]));
  return texts
    .flatMap((text) => [...text.matchAll(NAMED)])
    .filter(([, word, name]) => numbers.has(word ?? name)).length;
}

async function countInFiles(dirs: readonly string[], gone: readonly Person[]): Promise<number> {
  let found = 0;
  for (const dir of dirs)
    for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
      const file = join(dir, name);
      if (!statSync(file).isFile()) continue;
      const stream = createReadStream(file, { encoding: "latin1", highWaterMark: 1 << 22 });
      // A word that lies across two pieces is seen in the next one's beginning.
      let rest = "";
      for await (const piece of stream) {
        const text = rest + String(piece);
        rest = text.slice(-64);
        found += countTexts([text], gone);
      }
    }
  return found;
}
