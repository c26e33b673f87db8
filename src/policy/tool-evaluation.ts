import type { Route } from "../domain/route.js";
import type { ToolAsk } from "./asks.js";
import type { Attributes } from "./pdp.js";

export function toTool(ask: ToolAsk, route: Route): Attributes {
  const stage = route.stages.find((known) => known.stage_id === ask.stageId);
  return {
    on_manifest: route.tools.includes(ask.name),
    on_stage: stage?.tools.includes(ask.name) ?? false,
  };
}
