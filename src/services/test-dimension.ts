import { uuidv7 } from "uuidv7";
import { DIMENSION_EXAMPLES, type Dimension, type DimensionExample } from "../domain/dimension.js";
import { parseDimension, parseDimensionId } from "../domain/dimension-rules.js";
import { invalid, isObject } from "../domain/fields.js";
import { trustedId } from "../domain/ids.js";
import type { KnownObservation, Observed } from "../domain/observation.js";
import { checkObservations } from "../domain/observation-rules.js";
import { PLATFORM_DIMENSIONS } from "../domain/platform-dimensions.js";
import { givingWay } from "../domain/steps.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import { askWithinBudget } from "./model-budget.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";

export interface ExampleReply {
  readonly example: DimensionExample;
  /** True where the dimension takes from it what it should: something, or nothing. */
  readonly holds: boolean;
  readonly observations: readonly { readonly dimension: string; readonly text: string }[];
}

export interface TestDimensionReply {
  readonly dimension_id: string;
  readonly holds: boolean;
  readonly examples: readonly ExampleReply[];
  readonly decision: DecisionReply;
}

/** Shows what the observer takes from a dimension's three examples, one after the other. Nothing is kept. */
export function testDimension(
  services: Services,
  caller: Caller,
  id: string,
  body: unknown,
): Promise<TestDimensionReply> {
  return govern(services, caller, "test_dimension", async (op) => {
    const dimensionId = parseDimensionId(id, "dimension_id");
    if (!isObject(body)) throw invalid("body", "must be of type object");
    const { reason: _, ...given } = body;
    const dimension = parseDimension(given, dimensionId);
    const permit = op.permit({ type: "tenant" }, {});
    await services.store.transact(permit, (tx) =>
      tx.commit([op.audit(permit, { reads: [{ kind: "dimension", ids: [dimensionId] }] })]),
    );
    const examples: ExampleReply[] = [];
    let known: readonly KnownObservation[] = [];
    for (const [hour, example] of DIMENSION_EXAMPLES.entries()) {
      const observed = await observe(services, caller, dimension, { example, hour, known });
      known = [...observed.map((one) => knownOf(one, op.now, hour)), ...known];
      const takes = observed.some((one) => one.dimension === dimensionId);
      examples.push({
        example,
        holds: takes === (example !== "nothing"),
        observations: observed.map(({ dimension: taken, text }) => ({ dimension: taken, text })),
      });
    }
    const holds = examples.every((one) => one.holds);
    return { dimension_id: dimensionId, holds, examples, decision: op.decision() };
  });
}

async function observe(
  services: Services,
  caller: Caller,
  dimension: Dimension,
  asked: { example: DimensionExample; hour: number; known: readonly KnownObservation[] },
): Promise<readonly Observed[]> {
  const turn = {
    id: trustedId<"TurnId">(uuidv7()),
    role: "user" as const,
    speaker: "subject" as const,
    text: dimension.examples[asked.example],
    observedAt: hoursOn(services.clock.now(), asked.hour),
  };
  const source = {
    dimensions: [...PLATFORM_DIMENSIONS, dimension],
    cues: services.cues,
    turns: [turn],
    known: asked.known,
    model: null,
  };
  const given = await askWithinBudget(services, caller, "observe", {
    asked: services.observer,
    source,
  });
  return (await givingWay(checkObservations(given, source))).observed;
}

function knownOf(observed: Observed, now: Date, hour: number): KnownObservation {
  const { dimension, text, quotes, tier, isSafety } = observed;
  const id = trustedId<"ObservationId">(uuidv7());
  const observedAt = hoursOn(now, hour);
  return { id, dimension, text, quotes, tier, isSafety, observedAt, supersededBy: null };
}

function hoursOn(now: Date, hours: number): Date {
  return new Date(now.getTime() + hours * 3_600_000);
}
