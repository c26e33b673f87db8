import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRun } from "../tests/doors/bank.js";
import {
  kindOf,
  OPERATOR,
  PRIVACY,
  type Service,
  startService,
  succeed,
} from "../tests/doors/service.js";
import { routeBody } from "../tests/support/muniment.js";

/** Room for the database, its log and some writes, in megabytes. */
const DISK_MB = 160;
const PEOPLE = 12;
const LINE = "x".repeat(30_000);
const WRITES_MAX = 400;

/** The last three must be nought. */
export interface FullDiskCounts {
  rounds: number;
  acknowledged: number;
  /** Requests that were refused, by kind. */
  refused: Record<string, number>;
  /** Acknowledged, and not there after a start with room again. */
  lost: number;
  /** Acknowledged as erased, and there. */
  halfDone: number;
  /** Not gone after the same request with room again. */
  unrepeatable: number;
}

/**
 * Fills a small disk to the brim while turns are written and people are erased, then makes room and looks. Needs Linux and
 * the right to mount.
 */
export async function soakFullDisk(say: (line: string) => void): Promise<FullDiskCounts> {
  const parent = mkdtempSync(join(tmpdir(), "muniment-disk-"));
  const disk = join(parent, "disk");
  mkdirSync(disk);
  run("mount", "-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", disk);
  const masterKey = join(parent, "master.key");
  writeFileSync(masterKey, randomBytes(32).toString("base64"), { mode: 0o600 });
  const environment = { MUNIMENT_MASTER_KEY_FILE: masterKey };
  const serve = () => startService({ dir: join(disk, "data"), environment });
  const counts: FullDiskCounts = {
    rounds: 0,
    acknowledged: 0,
    refused: {},
    lost: 0,
    halfDone: 0,
    unrepeatable: 0,
  };
  let service = await serve();
  try {
    await succeed(service.ask("PUT", "/v1/routes/chat", { as: OPERATOR, body: routeBody() }));
    const people = new Map<string, { readonly run: string; said: number }>();
    for (let n = 0; n < PEOPLE; n += 1) {
      const { run_id: run } = await startRun(service, `person-${n}`, "main");
      people.set(`person-${n}`, { run, said: 0 });
    }
    for (const [name, person] of people) {
      const ballast = fill(disk);
      await talk(service, person, counts);
      const erased = await erase(service, name).catch(() => null);
      note(counts, erased);
      await service.end("SIGKILL");
      rmSync(ballast);
      service = await serve();
      await judge(service, name, person, erased?.status === 201, counts);
      counts.rounds += 1;
      say(JSON.stringify(counts));
    }
    return counts;
  } finally {
    await service.end("SIGKILL");
    run("umount", disk);
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Says something until the disk is full. */
async function talk(
  service: Service,
  person: { readonly run: string; said: number },
  counts: FullDiskCounts,
): Promise<void> {
  for (let n = 0; n < WRITES_MAX; n += 1) {
    const turns = [{ role: "user", text: `${person.said} ${LINE}` }];
    const answer = await service
      .ask("POST", `/v1/runs/${person.run}/turns`, { body: { turns } })
      .catch(() => null);
    note(counts, answer);
    if (answer === null || answer.status >= 300) return;
    person.said += 1;
    counts.acknowledged += 1;
  }
  throw new Error("the disk didn't get full");
}

async function judge(
  service: Service,
  name: string,
  { run: id, said }: { readonly run: string; readonly said: number },
  isErased: boolean,
  counts: FullDiskCounts,
): Promise<void> {
  const { status } = await service.ask("GET", `/v1/runs/${id}`);
  if (isErased && status !== 404) counts.halfDone += 1;
  // An erasure that was answered with a refusal may have begun: then it was finished at the start.
  const isThere = status === 200;
  if (isThere && (await countTurns(service, id)) < said) counts.lost += 1;
  if (!isThere && status !== 404) counts.lost += 1;
  const again = await erase(service, name);
  const { status: after } = await service.ask("GET", `/v1/runs/${id}`);
  if (again.status !== 201 || after !== 404) counts.unrepeatable += 1;
}

async function countTurns(service: Service, id: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: { readonly turns: readonly object[]; readonly cursor: string | null } =
      await succeed(service.ask("GET", `/v1/runs/${id}/turns?limit=50${after}`));
    count += page.turns.length;
    cursor = page.cursor;
  }
  return count;
}

const erase = (service: Service, name: string) =>
  service.ask("POST", `/v1/subjects/${name}/erasures`, { as: PRIVACY, body: {} });

function note(
  { refused }: FullDiskCounts,
  answer: Awaited<ReturnType<Service["ask"]>> | null,
): void {
  const kind = answer === null ? "no answer" : kindOf(answer);
  if (kind !== null) refused[kind] = (refused[kind] ?? 0) + 1;
}

/** Takes all the room that is left but a megabyte. */
function fill(disk: string): string {
  const { bavail, bsize } = statfsSync(disk);
  const file = join(disk, "ballast");
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - 1_000_000)));
  return file;
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
}
