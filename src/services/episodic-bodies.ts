import type { PageQuery } from "./bodies.js";

// Bodies and queries of the operations on episodic memory and its jobs.

export interface CloseSessionBody {
  /** False for a session that leaves no episode. */
  readonly compress?: boolean;
  /** False for a session that teaches nothing about its person. */
  readonly observe?: boolean;
  /** How the application classes what was talked about. */
  readonly data_class?: string;
}

export interface DigestEntryBody {
  readonly text: string;
  /** Turns of this session that say it. */
  readonly turn_ids?: readonly string[];
  /** Items of working memory that say it, as `run/class/key`. */
  readonly working?: readonly string[];
}

export interface AppendEpisodeBody {
  readonly open_questions?: readonly DigestEntryBody[];
  readonly decisions?: readonly DigestEntryBody[];
  /** Verbatim. */
  readonly artifacts?: readonly DigestEntryBody[];
  /** Verbatim. */
  readonly evaluator_failures?: readonly DigestEntryBody[];
  readonly data_class?: string;
}

export interface TracesQuery extends PageQuery {
  readonly run?: string;
  readonly route?: string;
  readonly outcome?: "completed" | "failed" | "closed" | "waiting";
}

export interface WorkQuery extends PageQuery {
  readonly state?: "queued" | "running" | "done" | "parked";
}
