/** What an application tells of a run that ends. Card and account numbers, tokens and secrets are taken out of it. */
export interface TraceBody {
  readonly tools?: readonly {
    readonly tool: string;
    readonly side_effect: "none" | "read" | "write";
    readonly receipt?: unknown;
  }[];
  readonly verdicts?: readonly {
    readonly criterion_id: string;
    readonly version: number;
    readonly verdict: "pass" | "fail";
  }[];
  /** URIs. */
  readonly artifacts?: readonly string[];
  readonly tickets?: readonly string[];
  readonly cost?: {
    readonly tokens_in?: number;
    readonly tokens_out?: number;
    readonly amount?: number;
    readonly currency?: string;
  };
  readonly revisions?: number;
  /** Kept until the next night alone. */
  readonly prompts?: readonly string[];
}
