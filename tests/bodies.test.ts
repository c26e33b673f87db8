import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type * as body from "../src/services/bodies.js";
import type * as episodic from "../src/services/episodic-bodies.js";
import type * as evidence from "../src/services/event-bodies.js";
import type * as importing from "../src/services/import-body.js";
import type * as corpus from "../src/services/inputs/corpus.js";
import type * as episode from "../src/services/inputs/episode.js";
import type * as event from "../src/services/inputs/event.js";
import type * as pack from "../src/services/inputs/pack.js";
import type { listRoutesInput } from "../src/services/inputs/route.js";
import type * as run from "../src/services/inputs/run.js";
import type * as trace from "../src/services/inputs/trace.js";
import type * as turn from "../src/services/inputs/turn.js";
import type * as recall from "../src/services/recall-bodies.js";

import type { TraceBody } from "../src/services/trace-body.js";

/** A body as its schema takes it: what a schema knows only to refuse it isn't part of it. */
type Taken<Schema extends z.ZodType> = Omit<z.input<Schema>, "goal" | "rows" | "all_routes">;
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Mutable<T[K]> }
    : T;
type Written<T> = Omit<Mutable<T>, "goal" | "rows">;

it("S1-04 the published types of bodies are those that the schemas take, no key more and none less", () => {
  type Keys<T> = T extends unknown ? keyof T : never;
  expectTypeOf<Keys<body.TurnBody>>().toEqualTypeOf<Keys<z.input<typeof turn.turnInput>>>();
  expectTypeOf<Written<body.AppendTurnsBody>>().toExtend<Taken<typeof turn.appendTurnsInput>>();
  expectTypeOf<keyof body.AppendTurnsBody>().toEqualTypeOf<
    keyof z.input<typeof turn.appendTurnsInput>
  >();
  expectTypeOf<keyof body.PageQuery>().toEqualTypeOf<keyof z.input<typeof turn.listTurnsInput>>();
  expectTypeOf<keyof body.PageQuery>().toEqualTypeOf<keyof z.input<typeof listRoutesInput>>();
  expectTypeOf<Keys<importing.ImportedTurnBody>>().toEqualTypeOf<
    Keys<z.input<typeof turn.importRow>>
  >();
  expectTypeOf<Mutable<importing.ImportedTurnBody>>().toExtend<z.input<typeof turn.importRow>>();
  expectTypeOf<keyof importing.ImportTurnsBody>().toEqualTypeOf<
    keyof z.input<typeof pack.importInput>
  >();
  expectTypeOf<Mutable<evidence.EventEntry>>().toExtend<z.input<typeof event.eventInput>>();
  expectTypeOf<keyof evidence.EventEntry>().toEqualTypeOf<keyof z.input<typeof event.eventInput>>();
  expectTypeOf<keyof evidence.EventsQuery>().toEqualTypeOf<
    keyof z.input<typeof event.listEventsInput>
  >();
  expectTypeOf<keyof body.StartRunBody>().toEqualTypeOf<keyof z.input<typeof run.startRunInput>>();
  expectTypeOf<keyof body.TakeTurnBody>().toEqualTypeOf<keyof Taken<typeof run.takeTurnInput>>();
  expectTypeOf<Written<body.TakeTurnBody>>().toExtend<Taken<typeof run.takeTurnInput>>();
  expectTypeOf<keyof body.WriteWorkingBody>().toEqualTypeOf<
    keyof Taken<typeof run.writeWorkingInput>
  >();
  expectTypeOf<Written<body.WriteWorkingBody>>().toExtend<Taken<typeof run.writeWorkingInput>>();
  expectTypeOf<keyof body.CompleteStageBody>().toEqualTypeOf<
    keyof z.input<typeof run.completeStageInput>
  >();
  expectTypeOf<Written<body.CompleteStageBody>>().toExtend<Taken<typeof run.completeStageInput>>();
  expectTypeOf<keyof body.WriteCheckpointBody>().toEqualTypeOf<
    keyof z.input<typeof run.writeCheckpointInput>
  >();
  expectTypeOf<Written<body.WriteCheckpointBody>>().toExtend<
    Taken<typeof run.writeCheckpointInput>
  >();
  expectTypeOf<keyof body.SearchCorpusBody>().toEqualTypeOf<
    keyof z.input<typeof corpus.searchCorpusInput>
  >();
  expectTypeOf<keyof body.PrefetchCorpusBody>().toEqualTypeOf<
    keyof z.input<typeof corpus.prefetchCorpusInput>
  >();
  expectTypeOf<keyof body.EscalateRunBody>().toEqualTypeOf<
    keyof z.input<typeof run.escalateRunInput>
  >();
  expectTypeOf<keyof body.ResumeRunBody>().toEqualTypeOf<
    keyof z.input<typeof run.resumeRunInput>
  >();
  expectTypeOf<keyof body.UseToolBody>().toEqualTypeOf<keyof z.input<typeof run.useToolInput>>();
  expectTypeOf<keyof body.FailRunBody>().toEqualTypeOf<keyof z.input<typeof run.failRunInput>>();
  expectTypeOf<keyof body.CloseRunBody>().toEqualTypeOf<keyof z.input<typeof run.closeRunInput>>();
  expectTypeOf<Written<body.CloseRunBody>>().toExtend<Taken<typeof run.closeRunInput>>();
  expectTypeOf<keyof TraceBody>().toEqualTypeOf<keyof z.input<typeof trace.traceInput>>();
  expectTypeOf<keyof episodic.TracesQuery>().toEqualTypeOf<
    keyof z.input<typeof trace.queryTracesInput>
  >();
  expectTypeOf<keyof episodic.WorkQuery>().toEqualTypeOf<keyof z.input<typeof episode.workInput>>();
  expectTypeOf<keyof episodic.AppendEpisodeBody>().toEqualTypeOf<
    keyof z.input<typeof episode.appendEpisodeInput>
  >();
  expectTypeOf<keyof episodic.CloseSessionBody>().toEqualTypeOf<
    keyof z.input<typeof episode.closeSessionInput>
  >();
  expectTypeOf<keyof body.HandoffSlotsBody>().toEqualTypeOf<
    keyof z.input<typeof run.handoffInput>
  >();
  expectTypeOf<keyof body.ProjectChildBody>().toEqualTypeOf<keyof z.input<typeof run.childInput>>();
  expectTypeOf<keyof recall.RecallTurnsBody>().toEqualTypeOf<
    keyof Taken<typeof pack.recallInput>
  >();
  expectTypeOf<keyof recall.RecallObservationsBody>().toEqualTypeOf<
    keyof Taken<typeof pack.recallObservationsInput>
  >();
  expectTypeOf<keyof recall.PackRecallBody>().toEqualTypeOf<
    Exclude<keyof NonNullable<Taken<typeof pack.assembleInput>["recall"]>, "all_routes">
  >();
  expectTypeOf<Written<body.AssembleBody>>().toExtend<Taken<typeof pack.assembleInput>>();
  expectTypeOf<keyof body.AssembleBody>().toEqualTypeOf<keyof z.input<typeof pack.assembleInput>>();
  expectTypeOf<keyof body.AuditQuery>().toEqualTypeOf<keyof z.input<typeof pack.auditInput>>();
});
