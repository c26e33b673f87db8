import { must } from "../../../domain/errors.js";
import { query } from "../../client.js";
import { counted } from "../../counted.js";
import { table } from "../../table.js";
import { timeOf } from "../../time.js";
import { DEMO_TENANT, LOOKUP, OPENING, OTHER_TENANT } from "../bank.js";
import type { Actor, JournalEntry } from "../cast.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const AUDIT_STEPS: readonly Step[] = [
  { name: "audit_complete", tell: auditComplete },
  { name: "audit_rows", tell: showRows },
];

/** The part of an audit row that the story looks at. */
interface Row {
  readonly recorded_at: string;
  readonly operation: string;
  readonly pep_verdict: string;
  readonly refusal: string | null;
  readonly policy_ids: readonly string[];
  readonly memory_reads: readonly { readonly kind: string; readonly ids: readonly string[] }[];
  readonly memory_writes: readonly { readonly kind: string; readonly ids: readonly string[] }[];
  readonly memory_pack_id: string | null;
  readonly request_id: string;
}

interface Page {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

const PAGES_MAX = 20;
/** As many kinds are named, such as `2 slots`; of more it is enough how many there are. */
const KINDS_MAX = 3;

/** The newest rows, back to the first request of the story. */
async function rowsSince(operator: Actor, first: string | undefined): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const found = await operator.ask<Page>("GET", `/v1/audit${query({ limit: 200, cursor })}`);
    rows.push(...found.rows);
    if (found.cursor === null || rows.some((row) => row.request_id === first)) break;
    cursor = found.cursor;
  }
  return rows;
}

/** What each request left behind fits what it was answered. */
function claimRows(journal: readonly JournalEntry[], rows: readonly Row[]): void {
  for (const { requestId, refusal } of journal) {
    const own = rows.filter((row) => row.request_id === requestId);
    claim(own.length > 0, `request ${requestId} left an audit row`);
    const verdict = refusal === null ? "allow" : refusal;
    const fits = own.every((row) => (row.refusal ?? "allow") === verdict);
    claim(fits, `the audit rows of request ${requestId} say ${verdict}`);
  }
}

async function auditComplete(scene: Scene): Promise<Told> {
  const { operator, otherOperator } = scene.cast;
  const told = [...scene.journal];
  let count = 0;
  for (const [tenant, reader] of [
    [DEMO_TENANT, operator],
    [OTHER_TENANT, otherOperator],
  ] as const) {
    const journal = told.filter((entry) => entry.tenant === tenant);
    const rows = await rowsSince(reader, journal[0]?.requestId);
    claimRows(journal, rows);
    const text = JSON.stringify(rows);
    claim(!OPENING.some((turn) => text.includes(turn.text)), "no audit row holds what was said");
    claim(!text.includes(LOOKUP.day), "no audit row holds what a stage found");
    count += journal.length;
  }
  const refused = told.filter(({ refusal }) => refusal !== null).length;
  return {
    detail: `all ${count} requests, ${refused} of them refused, left their rows; none holds content`,
  };
}

async function showRows(scene: Scene): Promise<Told> {
  const run = fact(scene, "run");
  const at = `/v1/audit${query({ run, limit: 200 })}`;
  const { rows } = await scene.cast.operator.ask<Page>("GET", at);
  const packId = fact(scene, "pack").pack_id;
  const behind = rows.find((row) => row.operation === "assemble" && row.memory_pack_id === packId);
  claim(behind !== undefined, "the row behind the printed pack is there");
  const read = behind.memory_reads.flatMap(({ ids }) => ids);
  const packed = fact(scene, "pack").items.flatMap(({ source }) => source);
  same([...read].sort(), [...packed].sort(), "it names the source of each line of the pack");
  const shown = rows
    .toReversed()
    .map((row) => [
      row.operation,
      row.refusal === null ? row.pep_verdict : `${row.pep_verdict}: ${row.refusal}`,
      row.policy_ids.join(" "),
      [...touched("reads", row.memory_reads), ...touched("writes", row.memory_writes)].join("; "),
    ]);
  const since = timeOf(must(rows.at(-1), "audit row").recorded_at);
  const head = ["operation", "verdict", "policies", "touched"];
  return {
    detail: `${counted(rows.length, "row")} of Jane's run since ${since}, oldest first; the pack's own row names its ${counted(packed.length, "source")}`,
    show: [table(head, shown)],
  };
}

function touched(verb: string, what: Row["memory_reads"]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { kind, ids } of what) counts.set(kind, (counts.get(kind) ?? 0) + ids.length);
  const parts = [...counts].filter(([, n]) => n > 0).map(([kind, n]) => counted(n, kind));
  if (parts.length === 0) return [];
  const all = counted(what.flatMap(({ ids }) => ids).length, "row");
  return [
    `${verb} ${parts.length > KINDS_MAX ? `${all} of ${parts.length} kinds` : parts.join(", ")}`,
  ];
}
