/** What one agent tells another of its work, beside named slots. The other one reads it and can't change it. */
export interface HandoffPackage {
  /** URIs of artifacts. */
  readonly artifacts?: readonly string[];
  /** The evaluator's failures, verbatim. */
  readonly failures?: readonly string[];
  readonly tools_tried?: readonly { readonly tool: string; readonly outcome: string }[];
  /** What is left of the job's budget. */
  readonly budget?: {
    readonly tokens?: number;
    readonly steps?: number;
    readonly seconds?: number;
  };
}
