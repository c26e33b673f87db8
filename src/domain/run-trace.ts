/** What a tool does to the world outside. */
export const SIDE_EFFECTS = ["none", "read", "write"] as const;
export type SideEffect = (typeof SIDE_EFFECTS)[number];

/** What the application tells of a run when it ends, redacted before it is sealed. */
export interface TraceFacts {
  readonly tools: readonly {
    readonly tool: string;
    readonly side_effect: SideEffect;
    /** What the tool gave as proof, such as a booking's number. */
    readonly receipt?: unknown;
  }[];
  readonly verdicts: readonly {
    readonly criterion_id: string;
    readonly version: number;
    readonly verdict: "pass" | "fail";
  }[];
  /** URIs. */
  readonly artifacts: readonly string[];
  readonly tickets: readonly string[];
  readonly cost: {
    readonly tokens_in: number;
    readonly tokens_out: number;
    readonly amount?: number;
    readonly currency?: string;
  };
  readonly revisions: number;
}

export const NO_FACTS: TraceFacts = Object.freeze({
  tools: [],
  verdicts: [],
  artifacts: [],
  tickets: [],
  cost: Object.freeze({ tokens_in: 0, tokens_out: 0 }),
  revisions: 0,
});

/** How a run stood when its trace was written. */
export type TraceOutcome = "completed" | "failed" | "closed" | "waiting";
