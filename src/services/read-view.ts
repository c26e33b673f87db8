import { MunimentError, notFound } from "../domain/errors.js";
import type { Fold } from "../domain/fold-rules.js";
import type { Permit } from "../domain/permit.js";
import type { StructuredState } from "../domain/projection.js";
import { EMPTY_MODEL, type UserModel } from "../domain/user-model.js";
import { FOLD, USER_MODEL, type ViewState, viewState } from "../domain/view.js";
import { countPending, type Pending } from "../storage/queries/pending-count.js";
import { readSubject } from "../storage/queries/subject-read.js";
import { observedAtOf, readWholeModel } from "../storage/queries/user-model-read.js";
import type { Transaction } from "../storage/store.js";
import type { Caller } from "./caller.js";
import { evidenceFor, foldOf, openFacts, structuredState } from "./derived-views.js";
import { govern } from "./govern.js";
import { named } from "./named-statements.js";
import type { DecisionReply } from "./operation.js";
import type { Services } from "./services.js";
import { shownUserModel } from "./shown-user-model.js";
import { storeOf } from "./stores.js";
import type { KnownSubject } from "./subjects.js";

export interface CitedReply {
  readonly observation_id: string;
  readonly observed_at: string;
}

export interface ReadViewReply {
  /** `user_model`, `fold` or a projection. */
  readonly view: string;
  readonly state: ViewState;
  /** Grows with what is behind it; null where there is no model. */
  readonly version: number | null;
  readonly computed_at: string | null;
  readonly body: UserModel | Fold | StructuredState;
  /** When each observation that a model cites was made; none for views whose body says it. */
  readonly cited: readonly CitedReply[];
  /** Evidence that the person's model doesn't know yet. */
  readonly pending: Pending;
  readonly decision: DecisionReply;
}

type ReadPart = Pick<ReadViewReply, "state" | "version" | "computed_at" | "body" | "cited">;

const NOTHING: Pending = { sessions: 0, observations: 0 };

/** A view of a person as a whole, whatever route its evidence comes from, with what isn't in it yet. */
export function readView(
  services: Services,
  caller: Caller,
  subjectId: string,
  viewId: string,
): Promise<ReadViewReply> {
  return govern(services, caller, "read_view", async (op) => {
    const { subject, resource } = await storeOf(op, subjectId);
    const permit = op.permit(resource, {});
    requireView(services, viewId);
    return await services.store.transact(permit, async (tx) => {
      const [[pending = NOTHING]] = await tx.send([countPending(permit)]);
      const part =
        viewId === USER_MODEL
          ? await readModel(services, tx, permit, subject, pending)
          : await compute(services, tx, permit, subject, viewId);
      const ids = part.version === null ? [] : [`${viewId}@${part.version}`];
      await tx.commit([op.audit(permit, { reads: [{ kind: "view", ids }] })]);
      return { view: viewId, ...part, pending, decision: op.decision() };
    });
  });
}

function requireView({ projections }: Services, view: string): void {
  const views = [USER_MODEL, FOLD, ...projections.map(({ id }) => id)];
  if (!views.includes(view))
    throw new MunimentError("not_found", `no such view: there are ${views.join(", ")}`);
}

async function readModel(
  services: Services,
  tx: Transaction,
  permit: Permit<"read_view">,
  { key }: KnownSubject,
  { observations }: Pending,
): Promise<ReadPart> {
  const [[row]] = await tx.send([readWholeModel(permit)]);
  return {
    state: viewState(row !== undefined, observations),
    version: row?.version ?? null,
    computed_at: row?.computedAt.toISOString() ?? null,
    body: (row && shownUserModel(services, row, key)) ?? EMPTY_MODEL,
    cited: [...(row === undefined ? [] : observedAtOf(row))].map(([observation_id, at]) => {
      return { observation_id, observed_at: at.toISOString() };
    }),
  };
}

/** Of the evidence as it is now: never out of date. */
async function compute(
  services: Services,
  tx: Transaction,
  permit: Permit<"read_view">,
  { key }: KnownSubject,
  view: string,
): Promise<ReadPart> {
  const wanted = named({ standing: readSubject(permit), ...evidenceFor(services, permit, [view]) });
  const {
    standing: [standing],
    events,
    observations,
  } = wanted.rowsOf(await tx.send(wanted.list));
  if (standing === undefined) throw notFound();
  const facts = await openFacts(services, key, events);
  return {
    state: "valid",
    version: standing.revision,
    computed_at: permit.scope.now.toISOString(),
    body: structuredState(services, view, facts) ?? foldOf(services, key, facts, observations),
    cited: [],
  };
}
