import type { ListDimensionsReply } from "../services/list-dimensions.js";
import type * as body from "../services/observation-bodies.js";
import type { ObserveSubjectReply } from "../services/observe-subject.js";
import type { PutDimensionReply } from "../services/put-dimension.js";
import type { TestDimensionReply } from "../services/test-dimension.js";

/** Operations on what is observed of people, and when. */
export interface ObservationOperations {
  /** Writes a new version of a dimension; saying the same again changes nothing. It is observed from then on. */
  putDimension(dimensionId: string, body: body.PutDimensionBody): Promise<PutDimensionReply>;
  /** The dimensions that every tenant has, then the tenant's own. */
  listDimensions(): Promise<ListDimensionsReply>;
  /** What is observed in a dimension's examples. Nothing is kept. */
  testDimension(dimensionId: string, body: body.PutDimensionBody): Promise<TestDimensionReply>;
  /** Queues the observation of what a subject's sessions said since the last one. */
  observeSubject(subject: string, body: body.ObserveSubjectBody): Promise<ObserveSubjectReply>;
}
