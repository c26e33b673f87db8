import type { Action } from "../domain/action.js";
import type { SessionId, SubjectId } from "../domain/ids.js";
import type { Principal } from "../domain/principal.js";
import type {
  ApproveAsk,
  CorpusAsk,
  EvaluateAsk,
  FieldAsk,
  PreferenceAsk,
  ProposeAsk,
  RecallAsk,
  StageAsk,
  ToolAsk,
  WriteAsk,
} from "./asks.js";
import type {
  FieldResource,
  MemoryResource,
  NewRouteResource,
  RouteResource,
  RunResource,
  SessionResource,
  StoreResource,
  SubjectResource,
  TenantResource,
  TransferResource,
} from "./resources.js";

/** Steps of the request path itself. They have functions of their own: nobody asks for them. */
export const INTERNAL_ACTIONS = ["resolve", "record_refusal"] as const satisfies readonly Action[];
export type InternalAction = (typeof INTERNAL_ACTIONS)[number];

export type AskedAction = Exclude<Action, InternalAction>;

/**
 * What the caller's credential is bound to, resolved to internal ids by the service. A claim that stays unresolved
 * refuses the question (a run claim is already one of our ids and needs no resolving).
 */
export interface Bound {
  readonly subject?: SubjectId;
  readonly session?: SessionId;
}

/** Nothing beside the resource decides. */
export type NoContext = Readonly<Record<string, never>>;

interface On<Resource, Context = NoContext> {
  readonly resource: Resource;
  readonly context: Context;
}

/** What each action is asked about. */
export interface Asked {
  readonly put_route: On<NewRouteResource>;
  readonly read_route: On<RouteResource>;
  readonly list_routes: On<TenantResource>;
  readonly start_run: On<RunResource>;
  readonly take_turn: On<RunResource>;
  readonly read_run: On<RunResource>;
  readonly append_turns: On<RunResource>;
  readonly list_turns: On<RunResource>;
  readonly write_working: On<RunResource>;
  readonly complete_stage: On<RunResource, StageAsk>;
  readonly write_checkpoint: On<RunResource>;
  readonly fail_run: On<RunResource>;
  readonly close_run: On<RunResource>;
  readonly handoff_slots: On<TransferResource>;
  readonly project_child: On<TransferResource>;
  /** `recall` is present where the pack may hold recalled turns, `store` where it may hold fields of the store, `views`
   * where it may hold views of the person. */
  readonly assemble: On<
    RunResource,
    { readonly recall?: RecallAsk; readonly store?: true; readonly views?: true }
  >;
  readonly explain_pack: On<RunResource>;
  readonly diagnose_pack: On<RunResource>;
  readonly recall_turns: On<RunResource, { readonly recall: RecallAsk }>;
  readonly use_tool: On<RunResource, { readonly tool: ToolAsk }>;
  readonly search_corpus: On<RunResource, CorpusAsk>;
  readonly prefetch_corpus: On<RunResource, CorpusAsk>;
  readonly escalate_run: On<RunResource>;
  readonly resume_run: On<RunResource>;
  readonly recall_episodes: On<RunResource, { readonly recall: RecallAsk }>;
  readonly recall_observations: On<
    RunResource,
    { readonly recall: RecallAsk; readonly tool: ToolAsk }
  >;
  readonly append_episode: On<RunResource, { readonly tool: ToolAsk }>;
  readonly import_turns: On<SubjectResource>;
  readonly record_events: On<StoreResource>;
  readonly list_events: On<StoreResource>;
  readonly close_session: On<SessionResource>;
  readonly compress_session: On<SessionResource>;
  readonly consolidate_subject: On<MemoryResource>;
  readonly observe_session: On<SessionResource>;
  readonly observe_subject: On<MemoryResource>;
  readonly put_dimension: On<TenantResource>;
  readonly list_dimensions: On<TenantResource>;
  readonly test_dimension: On<TenantResource>;
  readonly put_field: On<FieldResource, FieldAsk>;
  readonly read_field: On<FieldResource>;
  readonly list_definitions: On<TenantResource>;
  readonly propose_field: On<StoreResource, ProposeAsk>;
  readonly upsert_preference: On<RunResource, PreferenceAsk>;
  readonly list_candidates: On<TenantResource>;
  readonly promote_by_human: On<StoreResource, ApproveAsk>;
  readonly promote_by_evaluator: On<StoreResource, EvaluateAsk>;
  readonly promote_by_reconcile: On<StoreResource, WriteAsk>;
  readonly reject_candidate: On<StoreResource, FieldAsk>;
  readonly revert_promotion: On<StoreResource, FieldAsk>;
  readonly set_preference: On<StoreResource, WriteAsk>;
  readonly set_session_field: On<RunResource, WriteAsk>;
  readonly delete_field: On<StoreResource, FieldAsk>;
  readonly list_fields: On<StoreResource>;
  readonly read_view: On<StoreResource>;
  readonly read_freshness: On<StoreResource>;
  readonly list_promotions: On<StoreResource>;
  readonly list_tools: On<RunResource>;
  readonly read_audit: On<TenantResource>;
  readonly query_traces: On<TenantResource>;
  readonly last_time: On<RunResource, { readonly recall: RecallAsk }>;
  readonly list_work: On<TenantResource>;
  readonly retry_work: On<TenantResource>;
  readonly run_work: On<TenantResource>;
  readonly sweep: On<TenantResource>;
  readonly list_unsealed: On<TenantResource>;
  readonly seal_segments: On<MemoryResource>;
  readonly list_unembedded: On<TenantResource>;
  readonly embed_turns: On<MemoryResource>;
  readonly list_rotated: On<TenantResource>;
  readonly reseal_subject: On<MemoryResource>;
  readonly rotate_key: On<MemoryResource>;
  readonly erase_subject: On<MemoryResource>;
  readonly erase_scope: On<MemoryResource>;
  readonly place_hold: On<MemoryResource>;
  readonly release_hold: On<MemoryResource>;
  readonly list_holds: On<TenantResource>;
  readonly read_erasure: On<TenantResource>;
  readonly verify_erasure: On<MemoryResource>;
  readonly find_text: On<TenantResource>;
  readonly replay_ledger: On<TenantResource>;
  readonly replay_erasure: On<MemoryResource>;
  readonly export_subject: On<MemoryResource>;
  readonly import_subject: On<MemoryResource>;
  readonly export_tenant: On<TenantResource>;
  readonly import_tenant: On<TenantResource>;
}

/** What a service asks before it touches storage. */
export interface Question<A extends AskedAction = AskedAction> {
  readonly principal: Principal;
  readonly bound: Bound;
  readonly action: A;
  readonly resource: Asked[A]["resource"];
  readonly context: Asked[A]["context"];
  /** Instant of the decision; becomes the permit's `scope.now`. */
  readonly now: Date;
}
