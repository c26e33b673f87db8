import type { Place, SubjectKey } from "../domain/keyring.js";
import type { ViewRow } from "../storage/queries/view-read.js";
import { orAlarm } from "./integrity.js";
import type { Services } from "./services.js";

/** A view that was moved to another workspace or name, or put back in an older version, doesn't open. */
export function viewPlace(workspace: string, viewId: string, version: number): Place {
  return { table: "view", column: "body_sealed", row: viewId, within: workspace, version };
}

/** What a view says, or null where it doesn't open in its place. */
export function openView<Body>(
  { onAlarm }: Pick<Services, "onAlarm">,
  {
    workspaceId,
    viewId,
    version,
    bodySealed,
  }: Pick<ViewRow, "workspaceId" | "viewId" | "version" | "bodySealed">,
  key: SubjectKey,
): Body | null {
  const place = viewPlace(workspaceId, viewId, version);
  const text = orAlarm(onAlarm, () => key.open(place, bodySealed));
  return text === null ? null : (JSON.parse(text) as Body);
}
