/**
 * Every governed operation: one word for the Cedar action, the HTTP operation id, the CLI command's verb and the
 * audit row's operation.
 */
export const ACTIONS = [
  "put_route",
  "read_route",
  "list_routes",
  "start_run",
  "take_turn",
  "read_run",
  "append_turns",
  "list_turns",
  "write_working",
  "complete_stage",
  "write_checkpoint",
  "fail_run",
  "close_run",
  "handoff_slots",
  "project_child",
  "assemble",
  "explain_pack",
  "diagnose_pack",
  "recall_turns",
  "use_tool",
  "escalate_run",
  "resume_run",
  "import_turns",
  "close_session",
  "compress_session",
  "read_audit",
  "run_work",
  "sweep",
  "list_unsealed",
  "seal_segments",
  "resolve",
  "record_refusal",
] as const;

export type Action = (typeof ACTIONS)[number];

/** Operations that answer a repeated idempotency key with their first reply. The others refuse a key. */
export const REPEATABLE_ACTIONS = [
  "put_route",
  "start_run",
  "take_turn",
  "append_turns",
  "write_working",
  "complete_stage",
  "write_checkpoint",
  "fail_run",
  "close_run",
  "escalate_run",
  "resume_run",
  "handoff_slots",
  "project_child",
  "close_session",
] as const satisfies readonly Action[];
export type RepeatableAction = (typeof REPEATABLE_ACTIONS)[number];

export function isRepeatable(action: Action): action is RepeatableAction {
  return REPEATABLE_ACTIONS.some((repeatable) => repeatable === action);
}
