import type { RouteId } from "./ids.js";
import type { MemoryProfile } from "./profile.js";
import type { SlotCondition } from "./slot-condition.js";

export interface Stage {
  readonly stage_id: string;
  readonly tools: readonly string[];
  /** True for a stage in which episodes or turns may be recalled (pattern 2). */
  readonly recall: boolean;
  /** JSON Schema of the capability's input: names the slot keys that may be merged into it. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** Branch: where it doesn't hold, the stage is passed over, with `null` in its slot. */
  readonly when?: SlotCondition;
  /** Gate: the run waits before the stage until it holds. */
  readonly gate?: SlotCondition;
}

/** One version of a route row. Immutable: a change is a new version. */
export interface Route {
  readonly route_id: RouteId;
  readonly version: number;
  readonly memory_profile: MemoryProfile;
  /** 0 single call, 1 tool loop, 2 workflow, 3 staged agent. */
  readonly autonomy: 0 | 1 | 2 | 3;
  readonly risk: "low" | "high";
  /** `write` where the route changes something outside (a payment, a freeze). Absent means `read`. */
  readonly side_effects?: "read" | "write";
  /** Why a high-risk or writing route may recall. Such a route recalls nothing without it. */
  readonly long_term_reason?: string;
  readonly stages: readonly Stage[];
  readonly tools: readonly string[];
  /** Other routes whose memory this one may read; its own it may always read. */
  readonly recall_from: readonly RouteId[];
  readonly store_fields: readonly string[];
  /** Views of the person that its packs hold, by name: `user_model`, `fold`, projections. Absent means none. */
  readonly views?: readonly string[];
  readonly retrieval: Readonly<Record<string, unknown>>;
  /** Cap of an assembled pack, in tokens. */
  readonly tokens_max: number;
}
