import { notFound } from "../domain/errors.js";
import { EMPTY_MODEL, type UserModel } from "../domain/user-model.js";
import { USER_MODEL, type ViewState, viewState } from "../domain/view.js";
import { readWholeModel } from "../storage/queries/model-read.js";
import { countPending, type Pending } from "../storage/queries/pending-count.js";
import type { Caller } from "./caller.js";
import { govern } from "./govern.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { shownModel } from "./shown-model.js";
import { storeOf } from "./stores.js";

export interface ReadViewReply {
  readonly view: string;
  readonly state: ViewState;
  /** Grows with each publish; null where there is none. */
  readonly version: number | null;
  readonly computed_at: string | null;
  readonly body: UserModel;
  readonly pending: Pending;
  readonly decision: DecisionReply;
}

/** A view of a person as a whole, whatever route its evidence comes from, with what it doesn't know yet. */
export function readView(
  services: Services,
  caller: Caller,
  subjectId: string,
  viewId: string,
): Promise<ReadViewReply> {
  return govern(services, caller, "read_view", async (op) => {
    const { subject, resource } = await storeOf(op, subjectId);
    const permit = op.permit(resource, {});
    if (viewId !== USER_MODEL) throw notFound();
    return await services.store.transact(permit, async (tx) => {
      const [[row], [pending = { sessions: 0, observations: 0 }]] = await tx.send([
        readWholeModel(permit),
        countPending(permit),
      ]);
      const body = (row && shownModel(services, row, subject.key)) ?? EMPTY_MODEL;
      const ids = row === undefined ? [] : [`${USER_MODEL}@${row.version}`];
      await tx.commit([op.audit(permit, { reads: [{ kind: "view", ids }] })]);
      return {
        view: USER_MODEL,
        state: viewState(row !== undefined, pending.observations),
        version: row?.version ?? null,
        computed_at: row?.computedAt.toISOString() ?? null,
        body,
        pending,
        decision: op.decision(),
      };
    });
  });
}
