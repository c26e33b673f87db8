import type { FieldDefinition } from "../domain/field.js";
import { isPermit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import { corporaOf } from "../domain/retrieval-rules.js";
import type { AskedAction, Question } from "../policy/question.js";
import type { Operation } from "./operation.js";
import {
  recallTool,
  type ShownTool,
  searchCorpusTool,
  upsertPreferenceTool,
} from "./tool-schemas.js";

/** Tools on the manifest of the run's route at this moment: none for a single call, the current stage's where it has stages. */
function listedTools({ route }: Pin, stageId: string | undefined): readonly string[] {
  if (route.autonomy === 0) return [];
  if (route.autonomy === 1) return route.tools;
  return route.stages.find(({ stage_id }) => stage_id === stageId)?.tools ?? [];
}

/** The governed tools among those that are listed, each as far as the policy allows its call now. */
export function toolsFor(
  op: Operation<"list_tools">,
  pin: Pin,
  stageId: string | undefined,
  fields: readonly FieldDefinition[],
): readonly ShownTool[] {
  const stage = stageId === undefined ? {} : { stageId };
  const recall = { allRoutes: false, ...stage };
  const tool = { name: "upsert_preference", ...stage };
  const keys = fields.filter((field) =>
    isAllowed(op, "upsert_preference", {
      resource: { type: "run", pin },
      context: { field, origin: "model", tool },
    }),
  );
  return listedTools(pin, stageId).flatMap((listed): readonly ShownTool[] => {
    switch (listed) {
      case "recall_observations":
        return isAllowed(op, listed, {
          resource: { type: "run", pin },
          context: { recall, tool: { name: listed, ...stage } },
        })
          ? [recallTool(listed)]
          : [];
      case "recall_turns":
      case "recall_episodes":
        return isAllowed(op, listed, { resource: { type: "run", pin }, context: { recall } })
          ? [recallTool(listed)]
          : [];
      case "search_corpus":
        return isAllowed(op, "search_corpus", {
          resource: { type: "run", pin },
          context: { corpora: corporaOf(pin.route).scope },
        })
          ? [searchCorpusTool(corporaOf(pin.route).scope)]
          : [];
      case "upsert_preference":
        return keys.length === 0 ? [] : [upsertPreferenceTool(keys)];
      default:
        return [];
    }
  });
}

/** Asks without doing: the call itself is asked about again, and audited. */
function isAllowed<A extends AskedAction>(
  { services, caller, now }: Operation<"list_tools">,
  action: A,
  asked: Pick<Question<A>, "resource" | "context">,
): boolean {
  const { principal, bound } = caller;
  return isPermit(services.policy.enforce<A>({ principal, bound, action, now, ...asked }));
}
