import { PREFETCH_SLOT } from "../../domain/slot-condition.js";
import { type Course, questionOf } from "./course.js";
import { Escalated } from "./outcome.js";

/** Fills the slot `prefetch` before the first step, where the route says so. Once: a resumed run has it. */
export async function prefetch(course: Course): Promise<void> {
  const { memory_profile, retrieval } = course.route;
  const isWanted = retrieval.prefetch === true && memory_profile.working === "session";
  if (!isWanted || course.slots.has(PREFETCH_SLOT)) return;
  const {
    decision: _,
    slot_version: __,
    ...found
  } = await course.memory.prefetchCorpus(course.runId, { query: questionOf(course) });
  course.slots.set(PREFETCH_SLOT, found);
  if (!found.escalate) return;
  const disputed = found.passages.filter(({ contradicts }) => contradicts.length > 0);
  throw new Escalated(
    "documents contradict each other",
    disputed.map(({ citation }) => citation),
  );
}
