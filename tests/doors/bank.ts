import type { DevClaims } from "../../src/policy/dev-issuer.js";
import { fieldBody, routeBody } from "../support/muniment.js";
import {
  APP,
  type Ask,
  OPERATOR,
  PRIVACY,
  REVIEWER,
  SETTINGS,
  type Service,
  succeed,
} from "./service.js";

/** Stands in everything that the person's memory is made of, her ids included. */
export const SENTINEL = "zqsentinel";
export const JANE = `jane-${SENTINEL}@example.com`;
export const MAIN = `main-${SENTINEL}-session`;
const SPEAKER = `Jane ${SENTINEL}`;

export interface StartedRun {
  readonly run_id: string;
  readonly run_token: string;
}

/** Ids of a run that holds the sentinel in every class of memory, and of what belongs to it. */
export interface Target {
  readonly run: string;
  /** An earlier run of the same session, to take slots over from. */
  readonly earlier: string;
  readonly pack: string;
  readonly turn: string;
  readonly token: string;
  readonly candidate: string;
  /** Hash of the candidate's value: what a decision names. */
  readonly hash: string;
  readonly promotion: string;
  /** Of somebody who was forgotten. */
  readonly erasure: string;
}

export function startRun(
  service: Service,
  subject: string,
  session: string,
  ask: Ask & { readonly goal?: string; readonly route?: string } = {},
): Promise<StartedRun> {
  const { goal = "Explain the fee", route = "chat", ...rest } = ask;
  return succeed<StartedRun>(
    service.ask("POST", `${sessionPath(subject, session)}/runs`, {
      ...rest,
      body: { route_id: route, goal },
    }),
  );
}

export function sessionPath(subject: string, session: string): string {
  return `/v1/subjects/${encodeURIComponent(subject)}/sessions/${encodeURIComponent(session)}`;
}

export async function putChat(service: Service, body = routeBody(), tenant = "bank-au") {
  await succeed(service.ask("PUT", "/v1/routes/chat", { as: { ...OPERATOR, tenant }, body }));
}

/** A preference of the person, and one of a chat. */
async function putFields(service: Service): Promise<void> {
  for (const [field, scope] of [
    ["mood", "customer"],
    ["draft", "session"],
  ] as const)
    await succeed(
      service.ask("PUT", `/v1/fields/${field}`, { as: OPERATOR, body: fieldBody({ scope }) }),
    );
}

/** Proposes a value for a person and sets another: what decisions and reversals are about. */
export async function plantStore(
  service: Service,
  subject: string,
  values: { readonly proposed: string; readonly set: string },
): Promise<Pick<Target, "candidate" | "hash" | "promotion">> {
  const at = `/v1/subjects/${encodeURIComponent(subject)}`;
  const filed = await succeed<{ readonly candidate_id: string; readonly value_hash: string }>(
    service.ask("POST", `${at}/candidates`, {
      as: SETTINGS,
      body: { field_id: "mood", value: values.proposed },
    }),
  );
  const { promotion_id: promotion } = await succeed<{ readonly promotion_id: string }>(
    service.ask("PUT", `${at}/fields/mood`, { as: REVIEWER, body: { value: values.set } }),
  );
  return { candidate: filed.candidate_id, hash: filed.value_hash, promotion };
}

/** Jane's memory, with the sentinel wherever a caller can put something. */
export async function plant(service: Service): Promise<Target> {
  const earlier = await startRun(service, JANE, MAIN, { goal: `Earlier ${SENTINEL}` });
  await fill(service, earlier.run_id, "facts");
  const { run_id: run, run_token: token } = await startRun(service, JANE, MAIN, {
    goal: `About ${SENTINEL}`,
  });
  const turn = await fill(service, run, "lookup");
  const pack = await succeed<{ readonly pack_id: string }>(
    service.ask("POST", `/v1/runs/${run}/pack`, { body: { recall: { query: SENTINEL } } }),
  );
  await putFields(service);
  const store = await plantStore(service, JANE, { proposed: SENTINEL, set: SENTINEL });
  const elsewhere = { ...REVIEWER, workspace: "other" };
  await succeed(
    service.ask("PUT", `/v1/subjects/${encodeURIComponent(JANE)}/fields/mood`, {
      as: elsewhere,
      body: { value: "calm" },
    }),
  );
  const erasure = await plantErasure(service);
  return { run, earlier: earlier.run_id, pack: pack.pack_id, turn, token, erasure, ...store };
}

/** Somebody who was here and was forgotten. */
async function plantErasure(service: Service): Promise<string> {
  await startRun(service, "gone", MAIN);
  const { erasure_id } = await succeed<{ readonly erasure_id: string }>(
    service.ask("POST", "/v1/subjects/gone/erasures", { as: PRIVACY, body: {} }),
  );
  return erasure_id;
}

async function fill(service: Service, run: string, stage: string): Promise<string> {
  const at = `/v1/runs/${run}`;
  const turn = { role: "user", text: `My word is ${SENTINEL}`, speaker: SPEAKER };
  const source = { source_id: `${stage}-${SENTINEL}` };
  const call = { tool: "search", call_id: `${stage}-${SENTINEL}-call`, text: SENTINEL };
  const { turn_ids } = await succeed<{ readonly turn_ids: readonly string[] }>(
    service.ask("POST", `${at}/turns`, {
      body: {
        turns: [
          { ...turn, ...source },
          { role: "tool_call", ...call },
          { role: "tool_result", ...call },
        ],
      },
    }),
  );
  const stageBody = { output: { [SENTINEL]: SENTINEL }, notes: [`Note ${SENTINEL}`] };
  await succeed(service.ask("PUT", `${at}/stages/${stage}`, { body: stageBody }));
  const working = {
    contract: { text: SENTINEL },
    artifact: SENTINEL,
    failures: [SENTINEL],
    questions: [SENTINEL],
    scratch: [{ ref: SENTINEL, label: SENTINEL }],
  };
  await succeed(service.ask("PUT", `${at}/working`, { body: working }));
  const checkpoint = { step: 3, result: { word: SENTINEL }, observations: [SENTINEL] };
  await succeed(service.ask("PUT", `${at}/checkpoint`, { body: checkpoint }));
  return turn_ids[0] ?? "";
}

/** What Jane's run, its session and her store hold, without the decisions of the reads that show it. */
export async function memoryOf(service: Service, run: string): Promise<string> {
  const view = await succeed<object>(service.ask("GET", `/v1/runs/${run}`));
  const turns = await succeed<object>(service.ask("GET", `/v1/runs/${run}/turns`));
  const jane = `/v1/subjects/${encodeURIComponent(JANE)}`;
  const fields = await succeed<object>(service.ask("GET", `${jane}/fields`));
  const candidates = await succeed<{ candidates: { subject: string }[] }>(
    service.ask("GET", "/v1/candidates", { as: REVIEWER }),
  );
  const waiting = { ...candidates, candidates: candidates.candidates.filter(isJanes) };
  return JSON.stringify(
    [view, turns, fields, waiting].map((reply) => ({ ...reply, decision: null })),
  );
}

function isJanes({ subject }: { readonly subject: string }): boolean {
  return subject === JANE;
}

export interface AuditRow {
  readonly audit_id: string;
  readonly operation: string;
  readonly pep_verdict: "allow" | "deny";
  readonly refusal: string | null;
  readonly request_id: string;
  readonly memory_writes: readonly { readonly kind: string; readonly ids: readonly string[] }[];
}

/** A tenant's audit trail, page by page, newest first. */
export async function auditOf(
  service: Service,
  { tenant = APP.tenant, verdict, limit = 200, since = 0 }: AuditQuery = {},
): Promise<readonly AuditRow[]> {
  const as: Partial<DevClaims> = { ...OPERATOR, tenant };
  const query = `limit=${limit}${verdict === undefined ? "" : `&verdict=${verdict}`}`;
  const rows: AuditRow[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: Page = await succeed<Page>(
      service.ask("GET", `/v1/audit?${query}${after}`, { as }),
    );
    const wanted = page.rows.filter((row) => writtenAt(row) >= since);
    rows.push(...wanted);
    cursor = wanted.length < page.rows.length ? null : page.cursor;
  }
  return rows;
}

/** Audit ids are UUIDv7: they begin with their time. */
function writtenAt({ audit_id }: AuditRow): number {
  return Number.parseInt(audit_id.replace("-", "").slice(0, 12), 16);
}

interface AuditQuery {
  readonly tenant?: string;
  readonly verdict?: "allow" | "deny";
  readonly limit?: number;
  /** Only rows from this time on, in milliseconds: the whole of a long trail is slow to read. */
  readonly since?: number;
}

interface Page {
  readonly rows: readonly AuditRow[];
  readonly cursor: string | null;
}
