interface Past {
  readonly session: string;
  readonly source_id: string;
  readonly speaker?: string;
  readonly observed_at: string;
}

export type ImportedTurnBody =
  | (Past & {
      readonly role?: "user";
      readonly text: string;
      /** True where the speaker's name is the subject's own. */
      readonly speaker_is_subject?: boolean;
    })
  | (Past & { readonly role: "assistant" | "system"; readonly text: string })
  | (Past & {
      readonly role: "tool_call" | "tool_result";
      /** Arguments of the call, or its result. */
      readonly text: string;
      readonly tool: string;
      /** Ties a result to its call. */
      readonly call_id: string;
    });

export interface ImportTurnsBody {
  readonly route_id: string;
  readonly rows: readonly ImportedTurnBody[];
}
