import type { ErrorKind } from "../../src/domain/errors.js";
import { must } from "../../src/domain/errors.js";
import type { Door as HttpDoor } from "../../src/http/door.js";
import { OPERATIONS } from "../../src/http/operations.js";
import type { DevClaims } from "../../src/policy/dev-issuer.js";
import { dimensionBody, fieldBody, routeBody } from "../support/muniment.js";
import { SENTINEL, type Target } from "./bank.js";
import {
  APP,
  CONNECTOR,
  EVALUATOR,
  OPERATOR,
  PRIVACY,
  RECONCILE,
  REVIEWER,
  type Service,
  SUPERVISOR,
  succeed,
} from "./service.js";

/** What a request is about. */
export interface DoorIds extends Target {
  readonly subject: string;
  readonly session: string;
  readonly route?: string;
  readonly field?: string;
  readonly dimension?: string;
}

type Outcome = ErrorKind | "none";

interface DoorRow {
  readonly owner: DevClaims;
  readonly body?: (at: DoorIds) => object;
  /** Answers to strangers, by their name, where it isn't `not_found`. */
  readonly foreign?: Readonly<Record<string, Outcome>>;
  /** True where a read-only role may come in. */
  readonly reader?: boolean;
  readonly otherKinds?: (target: Target) => readonly OtherKind[];
  /** True where a repeated idempotency key is answered with the first reply. */
  readonly isRepeatable?: boolean;
  /** Route of the caller's own run, where it isn't `chat`. */
  readonly ownRoute?: RouteName;
  /** True where another workspace of the tenant is shown the same person: what is asked about is all that is kept of them. */
  readonly isWhole?: true;
  /** What has to happen to the caller's own run first. */
  readonly prepare?: (service: Service, run: string) => Promise<unknown>;
  /** What its own caller gets where no door can make what it is about. */
  readonly opens?: ErrorKind;
  /** What a second caller of the same rights gets for the same request. */
  readonly peer?: ErrorKind;
}

/** Routes of the doors' own runs, by name. */
export const OWN_ROUTES = {
  chat: routeBody(),
  documents: routeBody({ retrieval: { scope: ["fees"], prefetch: true } }),
  loop: routeBody({
    autonomy: 1,
    tools: ["ledger_search", "upsert_preference"],
    store_fields: ["mood"],
  }),
};
type RouteName = keyof typeof OWN_ROUTES;

interface OtherKind {
  readonly ids: Partial<DoorIds>;
  readonly refusal: ErrorKind;
}

export interface Door extends DoorRow {
  readonly action: HttpDoor["action"];
  readonly operation: HttpDoor;
}

const PARTS: Readonly<Record<string, (at: DoorIds) => string>> = {
  run: ({ run }) => run,
  pack: ({ pack }) => pack,
  subject: ({ subject }) => subject,
  session: ({ session }) => session,
  stage: () => "extra",
  work: ({ run }) => run,
  view: () => "user_model",
  route_id: ({ route }) => route ?? "chat",
  field_id: ({ field }) => field ?? "mood",
  dimension_id: ({ dimension }) => dimension ?? "sleep",
  candidate: ({ candidate }) => candidate,
  promotion: ({ promotion }) => promotion,
  erasure: ({ erasure }) => erasure,
  scope: () => "turn",
  hold: ({ run }) => run,
};

/** The path with these ids in it. */
export function pathOf(path: string, at: DoorIds): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(must(PARTS[name], name)(at)),
  );
}

const onRun = (target: Target): readonly OtherKind[] =>
  [target.pack, target.turn, "chat", SENTINEL].map((run) => ({
    ids: { run },
    refusal: "not_found" as const,
  }));

/** What the tenant has as a whole is closed to those who are bound to less, and to those without a role. */
const WHOLE_TENANT = {
  session: "denied",
  unborn: "denied",
  subject: "denied",
  nobody: "denied",
  agent: "denied",
  workspace: "none",
  tenant: "none",
} as const;

/**
 * A person's store is open to those who serve them, not to a credential of one chat. Another workspace of the tenant has a
 * store of its own about the same person.
 */
const STORE = { session: "denied", workspace: "none" } as const;
/** Each workspace has sessions of its own, under whatever names: it makes and reaches those alone. */
const OWN_NAMES = { workspace: "none" } as const;
/** A decision is about one workspace's candidate. */
const DECISION = { session: "denied" } as const;
const decided = { isRepeatable: true, peer: "version_conflict", foreign: DECISION } as const;

const run = { owner: APP, otherKinds: onRun } satisfies DoorRow;
const write = { ...run, isRepeatable: true } satisfies DoorRow;
const query = { query: SENTINEL };

const ROWS: Readonly<Record<HttpDoor["action"], DoorRow>> = {
  put_route: {
    owner: OPERATOR,
    body: () => routeBody(),
    foreign: { ...WHOLE_TENANT, bound: "denied" },
    otherKinds: ({ run: id }) => [{ ids: { route: id }, refusal: "invalid_input" }],
    isRepeatable: true,
  },
  read_route: {
    owner: APP,
    foreign: { ...WHOLE_TENANT, bound: "none", tenant: "not_found" },
    reader: true,
    otherKinds: ({ run: id }) => [
      { ids: { route: id }, refusal: "invalid_input" },
      { ids: { route: "nothing" }, refusal: "not_found" },
    ],
  },
  list_routes: {
    owner: APP,
    foreign: { ...WHOLE_TENANT, bound: "none" },
    reader: true,
  },
  start_run: {
    owner: APP,
    body: () => ({ route_id: "chat", goal: "Mine" }),
    foreign: OWN_NAMES,
    isRepeatable: true,
  },
  take_turn: {
    owner: APP,
    body: () => ({ turns: [{ role: "user", text: "hello" }] }),
    // What the door above made there.
    foreign: OWN_NAMES,
    otherKinds: ({ run: id }) => [
      { ids: { subject: id }, refusal: "not_found" },
      { ids: { session: id }, refusal: "not_found" },
    ],
    isRepeatable: true,
  },
  import_turns: {
    owner: APP,
    body: ({ session }) => ({
      route_id: "chat",
      rows: [{ session, source_id: "x1", text: "old", observed_at: "2026-01-01T00:00:00Z" }],
    }),
    foreign: { session: "denied", ...OWN_NAMES },
  },
  // Nothing of the batch can be taken: what a connector records makes its person, in the tenant of whoever sends it.
  record_events: {
    owner: CONNECTOR,
    body: () => ({ events: [{}] }),
    foreign: { ...STORE, tenant: "none" },
  },
  list_events: { owner: OPERATOR, foreign: STORE },
  export_subject: {
    owner: PRIVACY,
    foreign: { session: "denied", workspace: "none" },
    isWhole: true,
  },
  export_tenant: { owner: PRIVACY, foreign: { ...WHOLE_TENANT, bound: "denied" }, isWhole: true },
  import_tenant: {
    owner: PRIVACY,
    body: () => ({ lines: [] }),
    foreign: { ...WHOLE_TENANT, bound: "denied" },
  },
  import_subject: {
    owner: PRIVACY,
    body: ({ subject }) => ({
      subject: {
        kind: "subject",
        subject_id: crypto.randomUUID(),
        subject,
        created_at: "2026-01-01T00:00:00Z",
      },
      lines: [],
    }),
    foreign: { session: "denied", workspace: "none", tenant: "none" },
  },
  close_session: {
    owner: APP,
    body: () => ({}),
    foreign: OWN_NAMES,
    otherKinds: ({ run: id }) => [
      { ids: { subject: id }, refusal: "not_found" },
      { ids: { session: id }, refusal: "not_found" },
    ],
    isRepeatable: true,
    peer: "run_ended",
  },
  observe_subject: {
    owner: OPERATOR,
    body: () => ({}),
    foreign: { session: "denied", workspace: "none" },
  },
  put_dimension: {
    owner: OPERATOR,
    body: () => dimensionBody(),
    foreign: { ...WHOLE_TENANT, bound: "denied" },
    otherKinds: ({ run: id }) => [{ ids: { dimension: id }, refusal: "invalid_input" }],
    isRepeatable: true,
  },
  test_dimension: {
    owner: OPERATOR,
    body: () => dimensionBody(),
    foreign: { ...WHOLE_TENANT, bound: "denied" },
    otherKinds: ({ run: id }) => [{ ids: { dimension: id }, refusal: "invalid_input" }],
  },
  list_dimensions: {
    owner: APP,
    foreign: { ...WHOLE_TENANT, bound: "none" },
    reader: true,
  },
  put_field: {
    owner: OPERATOR,
    body: () => fieldBody(),
    foreign: { ...WHOLE_TENANT, bound: "denied" },
    otherKinds: ({ run: id }) => [{ ids: { field: id }, refusal: "invalid_input" }],
    isRepeatable: true,
  },
  read_field: {
    owner: APP,
    foreign: { ...WHOLE_TENANT, bound: "none", tenant: "not_found" },
    reader: true,
    otherKinds: () => [{ ids: { field: "nothing" }, refusal: "not_found" }],
  },
  list_definitions: {
    owner: APP,
    foreign: { ...WHOLE_TENANT, bound: "none" },
    reader: true,
  },
  propose_field: {
    owner: APP,
    body: () => ({ field_id: "mood", value: "brisk" }),
    // It has no such field.
    foreign: { ...STORE, tenant: "invalid_input" },
    isRepeatable: true,
  },
  list_candidates: { owner: REVIEWER, foreign: { ...WHOLE_TENANT, bound: "denied" } },
  promote_by_human: {
    owner: REVIEWER,
    body: ({ hash }) => ({ value_hash: hash }),
    ...decided,
  },
  promote_by_evaluator: {
    owner: EVALUATOR,
    body: ({ hash }) => ({ value_hash: hash, criterion: "pref_extraction" }),
    ...decided,
  },
  reject_candidate: { owner: REVIEWER, body: ({ hash }) => ({ value_hash: hash }), ...decided },
  revert_promotion: { owner: REVIEWER, body: () => ({}), ...decided },
  promote_by_reconcile: {
    owner: RECONCILE,
    body: () => ({ fields: ["mood"] }),
    foreign: STORE,
    isRepeatable: true,
  },
  set_preference: {
    owner: REVIEWER,
    body: () => ({ value: "calm" }),
    foreign: STORE,
    otherKinds: () => [{ ids: { field: "nothing" }, refusal: "not_found" }],
    isRepeatable: true,
  },
  delete_field: {
    owner: REVIEWER,
    body: () => ({}),
    foreign: STORE,
    isRepeatable: true,
    peer: "not_found",
  },
  list_fields: { owner: APP, foreign: STORE, reader: true },
  list_promotions: { owner: OPERATOR, foreign: STORE },
  read_view: { owner: OPERATOR, foreign: STORE },
  // A stranger's workspace has a session of that name by now: its own.
  read_freshness: { owner: APP, foreign: STORE, reader: true, isWhole: true },
  list_tools: { ...run, reader: true },
  upsert_preference: {
    ...write,
    ownRoute: "loop",
    body: () => ({ field_id: "mood", value: "brisk" }),
  },
  set_session_field: {
    owner: SUPERVISOR,
    body: () => ({ value: "calm" }),
    otherKinds: onRun,
    isRepeatable: true,
  },
  recall_episodes: { ...run, body: () => query, reader: true },
  recall_observations: { ...run, body: () => ({ ...query, scope: "both" }), reader: true },
  append_episode: {
    ...write,
    body: ({ turn }) => ({
      open_questions: [{ text: `My word is ${SENTINEL}`, turn_ids: [turn] }],
    }),
  },
  query_traces: { owner: OPERATOR, foreign: { ...WHOLE_TENANT, bound: "denied" } },
  last_time: { ...run, reader: true },
  list_work: { owner: OPERATOR, foreign: { ...WHOLE_TENANT, bound: "denied" } },
  retry_work: {
    owner: OPERATOR,
    foreign: { ...WHOLE_TENANT, bound: "denied", workspace: "not_found", tenant: "not_found" },
    // Parked jobs are retried in `tests/services/jobs.test.ts`.
    opens: "not_found",
  },
  // A subject is the tenant's, whatever workspaces it has memory in.
  erase_subject: {
    owner: PRIVACY,
    body: () => ({}),
    foreign: { workspace: "none" },
  },
  // Jane's turns stay: what her doors show would go with them.
  erase_scope: {
    owner: PRIVACY,
    body: () => ({ target: "never-said" }),
    foreign: { session: "denied" },
    opens: "not_found",
  },
  place_hold: { owner: PRIVACY, body: () => ({}), foreign: STORE },
  rotate_key: { owner: PRIVACY, body: () => ({}), foreign: STORE },
  release_hold: { owner: PRIVACY, opens: "not_found" },
  list_holds: { owner: PRIVACY, foreign: { ...WHOLE_TENANT, bound: "denied" }, isWhole: true },
  read_erasure: {
    owner: PRIVACY,
    foreign: { ...WHOLE_TENANT, bound: "denied", tenant: "not_found" },
    otherKinds: ({ run: id }) => [{ ids: { erasure: id }, refusal: "not_found" }],
  },
  verify_erasure: {
    owner: PRIVACY,
    body: () => ({}),
    foreign: { workspace: "none" },
    otherKinds: ({ run: id }) => [{ ids: { erasure: id }, refusal: "not_found" }],
  },
  find_text: {
    owner: PRIVACY,
    body: () => ({ text: "nothing of anybody" }),
    foreign: { ...WHOLE_TENANT, bound: "denied" },
  },
  read_audit: {
    owner: OPERATOR,
    foreign: { ...WHOLE_TENANT, bound: "denied" },
  },
  read_run: { ...run, reader: true },
  append_turns: { ...write, body: () => ({ turns: [{ role: "user", text: "hello" }] }) },
  list_turns: { ...run, reader: true },
  write_working: { ...write, body: () => ({ questions: ["which card?"] }) },
  complete_stage: { ...write, body: () => ({ output: { amount: 42 } }), peer: "version_conflict" },
  write_checkpoint: { ...write, body: () => ({ step: 5 }) },
  fail_run: { ...write, body: () => ({ code: "tool_timeout" }), peer: "run_ended" },
  escalate_run: {
    ...write,
    body: () => ({ reason: "it contradicts the ledger" }),
    peer: "run_waiting",
  },
  resume_run: {
    ...write,
    owner: OPERATOR,
    body: () => ({ answer: "go on" }),
    prepare: (service, run) =>
      succeed(service.ask("POST", `/v1/runs/${run}/escalate`, { body: { reason: "unsure" } })),
    peer: "version_conflict",
  },
  close_run: { ...write, body: () => ({}), peer: "run_ended" },
  handoff_slots: {
    ...write,
    body: ({ earlier }) => ({ from_run: earlier, slots: ["facts"] }),
    peer: "version_conflict",
  },
  project_child: { ...write, body: () => ({ route_id: "chat", goal: "Mine", slots: [] }) },
  assemble: { ...run, body: () => ({ recall: query }) },
  explain_pack: {
    owner: APP,
    reader: true,
    otherKinds: (target) =>
      [target.run, target.turn, SENTINEL].map((pack) => ({ ids: { pack }, refusal: "not_found" })),
  },
  diagnose_pack: {
    owner: OPERATOR,
    otherKinds: (target) =>
      [target.run, target.turn, SENTINEL].map((pack) => ({ ids: { pack }, refusal: "not_found" })),
  },
  use_tool: { ...run, body: () => ({ tool: "ledger_search" }), ownRoute: "loop" },
  search_corpus: { ...run, body: () => query, ownRoute: "documents" },
  prefetch_corpus: { ...run, body: () => query, ownRoute: "documents" },
  recall_turns: { ...run, body: () => query, reader: true },
};

/** Each operation, with who may come in and what others are told. */
export const DOORS: readonly Door[] = OPERATIONS.map((operation) => ({
  action: operation.action,
  operation,
  ...ROWS[operation.action],
}));
