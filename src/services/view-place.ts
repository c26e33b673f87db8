import type { Place } from "../domain/keyring.js";

/** A view that was moved to another workspace or name, or put back in an older version, doesn't open. */
export function viewPlace(workspace: string, viewId: string, version: number): Place {
  return { table: "view", column: "body_sealed", row: viewId, within: workspace, version };
}
