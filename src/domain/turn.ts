export const TURN_ROLES = ["user", "assistant", "system", "tool_call", "tool_result"] as const;
export type TurnRole = (typeof TURN_ROLES)[number];

/** True of what an agent words, or was told by its tools: all but what a user says. */
export function isByAgent({ role }: { readonly role: TurnRole }): boolean {
  return role !== "user";
}

/** What is sealed of a turn. A tool call and its result share `call_id`. */
export interface TurnContent {
  readonly text: string;
  readonly tool?: string;
  readonly call_id?: string;
  /** True where the application knows that its speaker's name is the subject's own. */
  readonly speaker_is_subject?: boolean;
}
