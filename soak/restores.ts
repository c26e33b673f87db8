import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { backupDatabase, restoreDatabase } from "../src/compose/backup.js";
import type { SettingsInput } from "../src/config/settings.js";
import { routeBody } from "../tests/support/muniment.js";
import { openPlace, type Place, withMuniment } from "./place.js";

const PEOPLE = 60;
const TURNS = 5;

interface Person {
  readonly name: string;
  readonly run: string;
  /** A word that only this person says. */
  readonly word: string;
}

interface Backup {
  readonly dir: string;
  readonly people: readonly Person[];
}

/** The last three must be nought. */
export interface RestoreCounts {
  rounds: number;
  erased: number;
  /** Erased people whom a restored backup still had, each time that one did. */
  broughtBack: number;
  /** Rows of an erased person that a started database still had. */
  rowsLeft: number;
  /** Erased people whom somebody could find, or whose erasure didn't verify. */
  resurrected: number;
  /** Others whose rows weren't byte for byte those of the backup, or who weren't found in a new index. */
  changed: number;
}

/** Erases people and puts back older databases, in an order that `random` decides. */
export async function soakRestores(
  rounds: number,
  random: () => number,
  say: (line: string) => void,
): Promise<RestoreCounts> {
  const place = await openPlace();
  const counts: RestoreCounts = {
    rounds,
    erased: 0,
    broughtBack: 0,
    rowsLeft: 0,
    resurrected: 0,
    changed: 0,
  };
  /** Erasure and internal id of whoever was erased. */
  const erased = new Map<string, { readonly erasure: string; readonly subject: string }>();
  try {
    let current = await place.fresh();
    let people = await fill(current);
    const backups: Backup[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const dir = join(place.dir, `backup-${round}`);
      await backupDatabase(current, dir);
      backups.push({ dir, people });
      const leaving = people.filter(() => random() < 2 / people.length);
      await erase(current, leaving, dir, erased);
      counts.erased = erased.size;
      const backup = backups[Math.floor(random() * backups.length)] as Backup;
      const restored = await place.fresh();
      await restoreDatabase(restored, backup.dir);
      await place.drop(current);
      current = restored;
      people = backup.people.filter(({ name }) => !erased.has(name));
      const after = join(place.dir, `after-${round}`);
      await look(place, current, backup, people, erased, after, counts);
      say(`round ${round}: ${people.length} left, ${erased.size} erased`);
    }
    return counts;
  } finally {
    await place.stop();
  }
}

function fill(settings: SettingsInput): Promise<readonly Person[]> {
  return withMuniment(settings, async (as) => {
    await as("operator").putRoute("chat", routeBody());
    const people: Person[] = [];
    for (let n = 0; n < PEOPLE; n += 1) {
      const [name, word] = [`person-${n}`, `walrus${n}zebra`];
      const asked = { route_id: "chat", goal: "x" };
      const { run_id: run } = await as("app").startRun(name, "main", asked);
      const turns = Array.from({ length: TURNS }, (_, at) => ({
        role: "user" as const,
        text: `${word} in turn ${at}`,
      }));
      await as("app").appendTurns(run, { turns });
      people.push({ name, run, word });
    }
    return people;
  });
}

function erase(
  settings: SettingsInput,
  people: readonly Person[],
  backup: string,
  erased: Map<string, { readonly erasure: string; readonly subject: string }>,
): Promise<void> {
  return withMuniment(settings, async (as) => {
    for (const { name, run } of people) {
      const { erasure_id } = await as("privacy_officer").eraseSubject(name, {});
      erased.set(name, { erasure: erasure_id, subject: subjectOf(backup, run) });
    }
  });
}

/** Starts what was restored, and looks for who must be gone and who must be there. */
async function look(
  place: Place,
  settings: SettingsInput,
  backup: Backup,
  people: readonly Person[],
  erased: ReadonlyMap<string, { readonly erasure: string; readonly subject: string }>,
  after: string,
  counts: RestoreCounts,
): Promise<void> {
  await withMuniment(settings, async (as) => {
    for (const { erasure } of erased.values())
      if (!(await as("privacy_officer").verifyErasure(erasure, {})).ok) counts.resurrected += 1;
    for (const { name, run } of backup.people.filter((person) => erased.has(person.name))) {
      counts.broughtBack += 1;
      const found = await as("app")
        .readRun(run)
        .catch(() => null);
      if (found !== null) counts.resurrected += 1;
      counts.rowsLeft += await place.query(
        settings,
        "select count(*)::int as n from muniment.turn where subject_id = $1",
        [erased.get(name)?.subject],
      );
    }
  });
  await backupDatabase(settings, after);
  for (const { run } of people) {
    const subject = subjectOf(backup.dir, run);
    if (linesOf(after, subject) !== linesOf(backup.dir, subject)) counts.changed += 1;
  }
  await withMuniment(settings, async (as) => {
    for (const { run, word } of people) {
      const { hits } = await as("app").recallTurns(run, { query: word });
      if (hits.length !== TURNS) counts.changed += 1;
    }
  });
}

/** Every line of a backup that names a subject, beside the trail of who looked. */
function linesOf(dir: string, subject: string): string {
  return readdirSync(dir)
    .filter((name) => name.endsWith(".jsonl") && name !== "audit.jsonl")
    .sort()
    .flatMap((name) => readFileSync(join(dir, name), "utf8").split("\n"))
    .filter((line) => line.includes(subject))
    .join("\n");
}

function subjectOf(dir: string, run: string): string {
  const lines = readFileSync(join(dir, "run.jsonl"), "utf8").split("\n");
  const line = lines.find((text) => text.includes(run)) ?? "{}";
  return String(JSON.parse(line).subject_id);
}
