import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import {
  boundOf,
  FULL_PROFILE,
  fieldWith,
  id,
  NOW,
  pinWith,
  principalWith,
  routeId,
  routeWith,
} from "../../tests/support/policy-question.js";
import { ACTIONS } from "../domain/action.js";
import { ERROR_KINDS } from "../domain/errors.js";
import { FIELD_CLASSES, FIELD_WRITERS, type FieldDefinition, KEY_SCOPES } from "../domain/field.js";
import { ORIGINS, type Origin } from "../domain/origin.js";
import type { Pin } from "../domain/pin.js";
import { createCedarPdp } from "./cedar.js";
import { toEvaluation, toInternalEvaluation } from "./evaluation.js";
import type { Evaluation } from "./pdp.js";
import { loadPolicySet, POLICY_DIRECTORY } from "./policy-files.js";
import type { AskedAction, Question } from "./question.js";

const FOREIGN_KEYS = ["tenant", "workspace", "subject", "session", "run"] as const;
const foreign = z.enum(FOREIGN_KEYS).optional();
const profile = z
  .strictObject({
    conversation: z.literal("none"),
    working: z.literal("none"),
    loop: z.literal("none"),
    long_term: z.enum(["none", "retrieve_only"]),
  })
  .partial()
  .default({});
const own = z.literal("own").optional();
const principal = z.strictObject({
  kind: z.enum(["human", "service", "agent", "job"]),
  roles: z.array(z.string()),
  subject: own,
  session: own,
  run: own,
});
const refusal = z.enum(ERROR_KINDS).optional();

/** A preference that everybody may vouch for who may vouch for one, unless something is changed. */
const field = z
  .strictObject({
    class: z.enum(FIELD_CLASSES).default("preference"),
    writers: z
      .array(z.enum(FIELD_WRITERS))
      .default(["user", "human_agent", "settings_form", "system_of_record"]),
    scope: z.enum(KEY_SCOPES).optional(),
    routes: z.array(z.string()).optional(),
    sensitive: z.boolean().default(false),
    authorisesTools: z.boolean().default(false),
    criterion: z.string().nullable().default("pref_extraction"),
  })
  .prefault({});

const scenario = z.strictObject({
  name: z.string(),
  action: z.enum(ACTIONS),
  principal,
  foreign,
  profile,
  autonomy: z.literal([0, 1, 2, 3]).default(0),
  risk: z.enum(["low", "high"]).default("low"),
  tools: z.array(z.string()).default([]),
  target: z.strictObject({ foreign, profile }).default({ profile: {} }),
  recall: z
    .strictObject({
      allRoutes: z.boolean().default(false),
      sourceRoutes: z.array(z.string()).optional(),
      stageId: z.string().optional(),
    })
    .optional(),
  corpora: z.array(z.string()).default(["fees"]),
  retrieval: z
    .record(z.string(), z.unknown())
    .default({ scope: ["fees", "cards"], prefetch: true }),
  tool: z.strictObject({ name: z.string(), stageId: z.string().optional() }).optional(),
  field,
  origin: z.enum(ORIGINS).default("human_agent"),
  writer: z.enum(ORIGINS).optional(),
  approvedByCaller: z.boolean().default(false),
  gateHolds: z.boolean().default(true),
  criterion: z.string().default("pref_extraction"),
  store: z.literal(true).optional(),
  views: z.literal(true).optional(),
  storeFields: z.array(z.string()).default(["pref_language"]),
  sideEffects: z.enum(["read", "write"]).optional(),
  reason: z.string().optional(),
  verdict: z.enum(["allow", "deny"]),
  policies: z.array(z.string()),
  refusal,
});
type Scenario = z.output<typeof scenario>;

const actions = z.array(z.enum(ACTIONS));
const caller = z.strictObject({
  caller: z.string(),
  principal,
  allow: z.record(z.string(), actions),
  deny: z.record(z.string(), z.strictObject({ refusal, actions })).default({}),
});

const SCENARIOS = join(POLICY_DIRECTORY, "scenarios");
const read = (file: string): unknown =>
  parse(readFileSync(join(SCENARIOS, file), "utf8"), { merge: true });

/** One scenario for each action of each caller; what no line names is denied by default. */
function spread(table: z.output<typeof caller>): readonly Scenario[] {
  return ACTIONS.map((action) => {
    const named = Object.entries(table.allow).find(([, list]) => list.includes(action));
    const denied = Object.entries(table.deny).find(([, entry]) => entry.actions.includes(action));
    const outcome =
      named !== undefined
        ? { verdict: "allow", policies: named[0].split(" ") }
        : {
            verdict: "deny",
            policies: denied ? denied[0].split(" ") : [],
            refusal: denied?.[1].refusal ?? "denied",
          };
    return scenario.parse({ name: action, action, principal: table.principal, ...outcome });
  });
}

function moved(key: Scenario["foreign"]): Partial<Pin> {
  return key === undefined ? {} : { [key]: id("1") };
}

function routeOf(change: Pick<Scenario, "profile"> & Partial<Scenario>) {
  const {
    autonomy = 0,
    risk = "low",
    tools = [],
    sideEffects,
    reason,
    storeFields = [],
    retrieval = {},
  } = change;
  const memory_profile = { ...FULL_PROFILE, ...(change.profile as Partial<typeof FULL_PROFILE>) };
  return routeWith({
    autonomy,
    risk,
    tools,
    store_fields: storeFields,
    retrieval,
    memory_profile,
    ...(sideEffects && { side_effects: sideEffects }),
    ...(reason !== undefined && { long_term_reason: reason }),
  });
}

function fieldOf(s: Scenario): FieldDefinition {
  const {
    class: fieldClass,
    writers,
    scope,
    routes,
    sensitive,
    authorisesTools,
    criterion,
  } = s.field;
  return fieldWith({
    class: fieldClass,
    writers,
    scope: scope ?? (s.action === "set_session_field" ? "session" : "customer"),
    routes: routes?.map(routeId) ?? "global",
    sensitive,
    authorises_tools: authorisesTools,
    ...(criterion === null ? {} : { criterion }),
  });
}

/** Who vouches for a value where a scenario doesn't say: whoever each path is about. */
function writerOf(s: Scenario): Origin {
  return s.writer ?? (s.action === "promote_by_reconcile" ? "system_of_record" : "user");
}

/** The same run in a tool loop, whose route lists the governed tool unless the scenario lists others. */
function loopOf(s: Scenario) {
  const tools = s.tools.length === 0 ? ["upsert_preference"] : s.tools;
  const route = { ...routeOf({ ...s, tools }), autonomy: 1 as const };
  return { type: "run", pin: pinWith({ ...moved(s.foreign), route }) } as const;
}

type Parts = Pick<Question, "resource" | "context">;

function partsOf(s: Scenario, action: AskedAction): Parts {
  const route = routeOf(s);
  const run = { type: "run", pin: pinWith({ ...moved(s.foreign), route }) } as const;
  const { subject, keyId, workspace } = run.pin;
  const store = { type: "store", subject, keyId, workspace } as const;
  const definition = fieldOf(s);
  const { recall } = s;
  const asked = recall && {
    allRoutes: recall.allRoutes,
    ...(recall.sourceRoutes && { sourceRoutes: recall.sourceRoutes.map(routeId) }),
    ...(recall.stageId !== undefined && { stageId: recall.stageId }),
  };
  switch (action) {
    case "put_route":
      return { resource: { type: "route", route }, context: {} };
    case "read_route":
      return { resource: { type: "route", routeId: route.route_id }, context: {} };
    case "list_routes":
    case "list_definitions":
    case "put_dimension":
    case "list_dimensions":
    case "test_dimension":
    case "list_candidates":
    case "read_audit":
    case "query_traces":
    case "list_work":
    case "retry_work":
    case "run_work":
    case "sweep":
    case "list_unsealed":
    case "list_unembedded":
    case "list_rotated":
    case "read_erasure":
    case "export_tenant":
    case "import_tenant":
    case "find_text":
    case "list_holds":
    case "replay_ledger":
      return { resource: { type: "tenant" }, context: {} };
    case "consolidate_subject":
    case "seal_segments":
    case "embed_turns":
    case "reseal_subject":
    case "rotate_key":
    case "erase_subject":
    case "erase_scope":
    case "place_hold":
    case "release_hold":
    case "verify_erasure":
    case "replay_erasure":
    case "export_subject":
    case "import_subject":
    case "observe_subject":
      return { resource: { type: "memory", subject, keyId }, context: {} };
    case "import_turns":
      return { resource: { type: "subject", subject, keyId, route }, context: {} };
    case "close_session":
    case "compress_session":
    case "observe_session": {
      const { session } = run.pin;
      return { resource: { type: "session", subject, keyId, session }, context: {} };
    }
    case "handoff_slots":
    case "project_child": {
      const target = pinWith({
        run: id("2"),
        ...moved(s.target.foreign),
        route: routeOf(s.target),
      });
      return { resource: { ...run, target }, context: {} };
    }
    case "recall_turns":
    case "recall_episodes":
    case "last_time":
      return { resource: run, context: { recall: asked ?? { allRoutes: false } } };
    case "recall_observations": {
      const recall = asked ?? { allRoutes: false };
      const stage = asked?.stageId === undefined ? {} : { stageId: asked.stageId };
      return { resource: run, context: { recall, tool: { name: action, ...stage } } };
    }
    case "append_episode":
      return { resource: run, context: { tool: { name: action } } };
    case "search_corpus":
    case "prefetch_corpus":
      return { resource: run, context: { corpora: s.corpora } };
    case "use_tool": {
      if (s.tool === undefined) {
        const pin = pinWith({ route: { ...route, autonomy: 1, tools: ["ledger_search"] } });
        return { resource: { type: "run", pin }, context: { tool: { name: "ledger_search" } } };
      }
      const { name, stageId } = s.tool;
      const tool = { name, ...(stageId !== undefined && { stageId }) };
      return { resource: run, context: { tool } };
    }
    case "complete_stage":
      return { resource: run, context: { gateHolds: s.gateHolds } };
    case "assemble":
      return {
        resource: run,
        context: {
          ...(asked && { recall: asked }),
          ...(s.store && { store: true }),
          ...(s.views && { views: true }),
        },
      };
    case "put_field":
      return {
        resource: { type: "field", fieldId: definition.field_id },
        context: { field: definition },
      };
    case "read_field":
      return { resource: { type: "field", fieldId: definition.field_id }, context: {} };
    case "propose_field":
      return { resource: store, context: { field: definition, origin: s.origin } };
    case "upsert_preference":
      return {
        resource: loopOf(s),
        context: { field: definition, origin: "model", tool: { name: "upsert_preference" } },
      };
    case "promote_by_human":
      return {
        resource: store,
        context: {
          field: definition,
          writer: writerOf(s),
          approvedByCaller: s.approvedByCaller,
        },
      };
    case "promote_by_evaluator":
      return {
        resource: store,
        context: { field: definition, writer: writerOf(s), criterion: s.criterion },
      };
    case "promote_by_reconcile":
    case "set_preference":
      return { resource: store, context: { field: definition, writer: writerOf(s) } };
    case "set_session_field":
      return { resource: run, context: { field: definition, writer: writerOf(s) } };
    case "reject_candidate":
    case "revert_promotion":
    case "delete_field":
      return { resource: store, context: { field: definition } };
    case "list_fields":
    case "read_view":
    case "read_freshness":
    case "list_promotions":
    case "record_events":
    case "list_events":
      return { resource: store, context: {} };
    default:
      return { resource: run, context: {} };
  }
}

function evaluationOf(s: Scenario): Evaluation {
  const { kind, roles, subject, session, run } = s.principal;
  const asker = principalWith({
    kind,
    roles,
    ...(subject && { subject: "cust-1" }),
    ...(session && { session: "chat-1" }),
    ...(run && { run: id<"RunId">("f") }),
  });
  if (s.action === "resolve" || s.action === "record_refusal") {
    const evaluation = toInternalEvaluation(asker, s.action);
    const { resource } = evaluation;
    const tenant = s.foreign === undefined ? asker.tenant : id<"TenantId">("1");
    return { ...evaluation, resource: { ...resource, properties: { tenant } } };
  }
  const question = {
    principal: asker,
    bound: boundOf(asker),
    action: s.action,
    now: NOW,
    ...partsOf(s, s.action),
  };
  return toEvaluation(question as Question);
}

const callers = z.array(caller).parse(read("callers.yaml"));
/** Tables of their own form; the writers' is read by its own test. */
const TABLES = ["callers.yaml", "writers.yaml"];
const files = readdirSync(SCENARIOS).filter(
  (file) => file.endsWith(".yaml") && !TABLES.includes(file),
);
const scenarios = files.flatMap((file) => z.array(scenario).parse(read(file)));
const all = [...scenarios, ...callers.flatMap(spread)];
const policySet = loadPolicySet();
const pdp = createCedarPdp(policySet);

function outcomeOf(s: Scenario) {
  const { verdict, policyIds, refusal: answer, fault } = pdp.decide(evaluationOf(s));
  return { action: s.action, verdict, policies: policyIds, refusal: answer?.kind, fault };
}

function expectedOf(s: Scenario) {
  const { action, verdict, policies } = s;
  return { action, verdict, policies: [...policies].sort(), refusal: s.refusal, fault: undefined };
}

describe("policy scenarios", () => {
  it.each(scenarios.map((s) => [s.name, s] as const))("%s", (_, s) => {
    expect(outcomeOf(s)).toEqual(expectedOf(s));
  });

  it.each(callers.map((table) => [table.caller, table] as const))(
    "S1-27 %s may do what its table says, and nothing else",
    (_, table) => {
      const cases = spread(table);
      expect(cases.map(outcomeOf)).toEqual(cases.map(expectedOf));
    },
  );

  it("S1-27 every action has a scenario that allows it and one that denies it", () => {
    const seen = (verdict: string) =>
      new Set(all.filter((s) => s.verdict === verdict).map((s) => s.action));
    expect(ACTIONS.filter((action) => !seen("allow").has(action))).toEqual([]);
    expect(ACTIONS.filter((action) => !seen("deny").has(action))).toEqual([]);
  });

  it("S1-27 every policy determines the verdict of a scenario", () => {
    const determining = new Set(all.flatMap((s) => s.policies));
    expect(Object.keys(policySet.policies).filter((policy) => !determining.has(policy))).toEqual(
      [],
    );
  });
});
