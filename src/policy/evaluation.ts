import { unreachable } from "../domain/errors.js";
import type { Pin } from "../domain/pin.js";
import type { Principal } from "../domain/principal.js";
import type { MemoryProfile } from "../domain/profile.js";
import { corporaOf } from "../domain/retrieval-rules.js";
import type { Route } from "../domain/route.js";
import type { RecallAsk } from "./asks.js";
import { fieldContext, isFieldAsk } from "./field-evaluation.js";
import type { Attributes, Evaluation } from "./pdp.js";
import type { Bound, InternalAction, Question } from "./question.js";
import { toTool } from "./tool-evaluation.js";

type Party = Evaluation["resource"];

/** Routes whose memory a run of this route may read: its own, and those it lists. */
export function recallableRoutes(route: Route): Route["recall_from"] {
  return [...new Set([route.route_id, ...route.recall_from])];
}

function isRecallTool(tool: string): boolean {
  return tool.startsWith("recall_");
}

function modesOf(profile: MemoryProfile): Attributes {
  const { conversation, working, loop, long_term } = profile;
  return { conversation, working, loop, long_term };
}

function toPrincipal(principal: Principal, bound: Bound): Party {
  const { claims } = principal;
  const properties: Attributes = {
    kind: claims.kind,
    roles: [...new Set(claims.roles)].sort(),
    tenant: principal.tenant,
    workspace: principal.workspace,
    bound: claims.subject !== undefined || claims.session !== undefined || claims.run !== undefined,
    ...(bound.subject !== undefined && { subject: bound.subject }),
    ...(bound.session !== undefined && { session: bound.session }),
    ...(claims.run !== undefined && { run: claims.run }),
  };
  return { type: "Principal", id: principal.ref, properties };
}

function toRun(pin: Pin): Party {
  const { route } = pin;
  const properties: Attributes = {
    tenant: pin.tenant,
    workspace: pin.workspace,
    subject: pin.subject,
    session: pin.session,
    run: pin.run,
    profile: modesOf(route.memory_profile),
    autonomy: route.autonomy,
    recall_tool: route.tools.some(isRecallTool),
    recall_from: recallableRoutes(route),
    corpora: corporaOf(route).scope,
    prefetch: route.retrieval.prefetch === true,
  };
  return { type: "Run", id: pin.run, properties };
}

function toResource({ resource, principal }: Question): Party {
  const { tenant, workspace } = principal;
  switch (resource.type) {
    case "run":
      return toRun(resource.pin);
    case "subject":
      return {
        type: "Subject",
        id: resource.subject,
        properties: {
          tenant,
          workspace,
          subject: resource.subject,
          profile: modesOf(resource.route.memory_profile),
        },
      };
    case "session": {
      const { subject, session } = resource;
      return {
        type: "Session",
        id: session,
        properties: { tenant, workspace, subject, session },
      };
    }
    case "memory":
      return {
        type: "Memory",
        id: resource.subject,
        properties: { tenant, subject: resource.subject },
      };
    case "route":
      return {
        type: "Route",
        id: "route" in resource ? resource.route.route_id : resource.routeId,
        properties: { tenant },
      };
    case "field":
      return { type: "Field", id: resource.fieldId, properties: { tenant } };
    case "store":
      return {
        type: "Store",
        id: resource.subject,
        properties: { tenant, workspace: resource.workspace, subject: resource.subject },
      };
    case "tenant":
      return { type: "Tenant", id: tenant, properties: { tenant } };
    default:
      return unreachable(resource);
  }
}

function toRecall(ask: RecallAsk, route: Route): Attributes {
  const stage = route.stages.find((known) => known.stage_id === ask.stageId);
  return {
    all_routes: ask.allRoutes,
    source_routes: ask.sourceRoutes ?? recallableRoutes(route),
    stage_recalls: stage?.recall ?? false,
    stage_recall_tool: stage?.tools.some(isRecallTool) ?? false,
  };
}

function toTarget(pin: Pin): Attributes {
  const { tenant, workspace, subject, session, route } = pin;
  return { tenant, workspace, subject, session, working: route.memory_profile.working };
}

/** Built field by field: nothing of the question is passed through, so that no caller's JSON reaches the decision point. */
function toContext(question: Question): Attributes {
  const { resource, context } = question;
  if (resource.type === "route" && "route" in resource) {
    const { memory_profile, risk, side_effects = "read", long_term_reason } = resource.route;
    return {
      long_term: memory_profile.long_term,
      risk,
      side_effects,
      reason_given: long_term_reason !== undefined,
    };
  }
  if (isFieldAsk(context))
    return fieldContext(context, resource.type === "run" ? resource.pin.route : undefined);
  if (resource.type !== "run") return {};
  if ("corpora" in context) return { corpora: context.corpora };
  if ("target" in resource) return { target: toTarget(resource.target) };
  if ("gateHolds" in context) return { gate_holds: context.gateHolds };
  return {
    ...("tool" in context && { tool: toTool(context.tool, resource.pin.route) }),
    ...("recall" in context &&
      context.recall !== undefined && { recall: toRecall(context.recall, resource.pin.route) }),
    ...("store" in context && context.store && { store: true }),
    ...("views" in context && context.views && { views: true }),
  };
}

/** The whole question in AuthZEN's shape. */
export function toEvaluation(question: Question): Evaluation {
  return {
    subject: toPrincipal(question.principal, question.bound),
    action: { name: question.action },
    resource: toResource(question),
    context: toContext(question),
  };
}

/** The question for a step of the request path inside the caller's own tenant. */
export function toInternalEvaluation(principal: Principal, action: InternalAction): Evaluation {
  const { tenant } = principal;
  return {
    subject: toPrincipal(principal, {}),
    action: { name: action },
    resource: { type: "Tenant", id: tenant, properties: { tenant } },
    context: {},
  };
}
