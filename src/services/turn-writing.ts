import { uuidv7 } from "uuidv7";
import { hoursAfter } from "../domain/clock.js";
import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import { type SessionId, type TurnId, trustedId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { Permit } from "../domain/permit.js";
import type { TurnContent, TurnRole } from "../domain/turn.js";
import { analyseTurn } from "../recall/analyse.js";
import { encodeTerms } from "../recall/terms.js";
import { insertTurn } from "../storage/queries/turn-insert.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import type { SessionScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import { macUuid } from "./mac-uuid.js";
import { keepExternalId } from "./subjects.js";

/** A turn to keep, whatever door it came through. */
export interface TurnToKeep {
  readonly role: TurnRole;
  readonly text: string;
  readonly speaker?: string | undefined;
  readonly source_id?: string | undefined;
  readonly observed_at?: Date | undefined;
  readonly tool?: string | undefined;
  readonly call_id?: string | undefined;
}

export interface Written {
  /** Statements before those of the turns: external ids of speakers and sources. */
  readonly names: readonly Statement[];
  readonly turns: readonly Statement<{ turnId: TurnId }>[];
  readonly ids: readonly TurnId[];
}

export interface Origin {
  readonly permit: Permit;
  readonly scope: SessionScope;
  readonly key: SubjectKey;
  readonly run: string;
  readonly routeId: string;
  readonly evidenceDays: number;
  readonly conversation: boolean;
}

/** Refuses what no layer keeps: a credential, and a model's reasoning. What a person writes isn't a model's. */
export function refuseText({ role, text }: Pick<TurnToKeep, "role" | "text">, field: string): void {
  refuseCredential(text, field);
  if (role !== "user") refuseChainOfThought(text, field);
}

/** Seals turns with their search terms. Text that holds a credential is refused before anything is sent. */
export function writeTurns(origin: Origin, turns: readonly TurnToKeep[]): Written {
  for (const [index, turn] of turns.entries()) refuseText(turn, `turns.${index}.text`);
  const names = new Map<string, { readonly lookup: Uint8Array; readonly statement: Statement }>();
  const nameOf = (kind: "speaker" | "source", id: string | undefined): Uint8Array | null => {
    if (id === undefined) return null;
    const known = names.get(`${kind}/${id}`);
    if (known) return known.lookup;
    const { subject, keyId } = origin.scope;
    const made = keepExternalId(origin.permit, { subject, keyId, key: origin.key }, kind, id);
    names.set(`${kind}/${id}`, made);
    return made.lookup;
  };
  const ids = turns.map((turn) => turnIdOf(origin.key, turn));
  const statements = turns.map((turn, index) => {
    const standing = standingOf(origin, ids[index] as TurnId, turn.role);
    return insertTurn(origin.scope, {
      ...standing,
      ...sealTurn(origin, standing, turn),
      run: standing.runId,
      speakerLookup: nameOf("speaker", turn.speaker),
      sourceLookup: nameOf("source", turn.source_id),
      observedAt: turn.observed_at ?? origin.scope.now,
      fromLast: turns.length - 1 - index,
      conversation: origin.conversation,
    });
  });
  return { names: [...names.values()].map((made) => made.statement), turns: statements, ids };
}

/** A turn of a source has one id whenever it comes: sent again, it names the row that stands. */
function turnIdOf(key: SubjectKey, { source_id }: TurnToKeep): TurnId {
  return trustedId<"TurnId">(
    source_id === undefined ? uuidv7() : macUuid(key.mac("turn", source_id)),
  );
}

/**
 * What people and agents said is evidence; tool traffic and system text of a live chat is conversation alone. A turn that
 * isn't conversation is evidence whatever its role: it has no other right, and recall shows its role.
 */
function isEvidence(role: TurnRole, conversation: boolean): boolean {
  return !conversation || role === "user" || role === "assistant";
}

/** What of a turn's row never changes, and decides who is shown its text, as what and until when. */
type Standing = Pick<
  TurnRow,
  "turnId" | "sessionId" | "runId" | "workspaceId" | "routeId" | "role" | "evidenceUntil"
>;

function standingOf(origin: Origin, turnId: TurnId, role: TurnRole): Standing {
  const { session, workspace, now } = origin.scope;
  return {
    turnId,
    sessionId: session,
    runId: trustedId<"RunId">(origin.run),
    workspaceId: workspace,
    routeId: trustedId<"RouteId">(origin.routeId),
    role,
    evidenceUntil: isEvidence(role, origin.conversation)
      ? hoursAfter(now, origin.evidenceDays * 24)
      : null,
  };
}

function sealTurn(
  origin: Origin,
  standing: Standing,
  turn: TurnToKeep,
): { contentSealed: Uint8Array; termsSealed: Uint8Array } {
  const content: TurnContent = {
    text: turn.text,
    ...(turn.tool === undefined ? {} : { tool: turn.tool }),
    ...(turn.call_id === undefined ? {} : { call_id: turn.call_id }),
  };
  const terms = analyseTurn({
    text: turn.text,
    speaker: turn.speaker ?? null,
    observedAt: turn.observed_at ?? origin.scope.now,
  });
  const place = termsPlace(standing.turnId, origin.scope.session);
  return {
    contentSealed: origin.key.seal(turnPlace(standing), JSON.stringify(content)),
    termsSealed: origin.key.sealTerms(place, encodeTerms(terms)),
  };
}

/** A turn that was moved to another run, workspace or route, given another role or a later end doesn't open. */
export function turnPlace(standing: Standing): Place {
  const { turnId, sessionId, runId, workspaceId, routeId, role, evidenceUntil } = standing;
  const within = [sessionId, runId, workspaceId, routeId, role, evidenceUntil];
  return {
    table: "turn",
    column: "content_sealed",
    row: turnId,
    within: JSON.stringify(within),
    version: 1,
  };
}

export function termsPlace(turn: TurnId, session: SessionId): Place {
  return { table: "turn", column: "terms_sealed", row: turn, within: session, version: 1 };
}
