import { uuidv7 } from "uuidv7";
import { hoursAfter } from "../domain/clock.js";
import { refuseChainOfThought, refuseCredential } from "../domain/credential-text.js";
import { type SessionId, type TurnId, trustedId } from "../domain/ids.js";
import type { Place, SubjectKey } from "../domain/keyring.js";
import type { TurnContent, TurnRole } from "../domain/turn.js";
import { analyseTurn } from "../recall/analyse.js";
import { encodeTerms, NO_TERMS } from "../recall/terms.js";
import { ensureExternalIds, type NewExternalId } from "../storage/queries/external-id-insert.js";
import type { NewTurn, NewTurns } from "../storage/queries/turn-insert.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import type { SessionScope } from "../storage/scope.js";
import type { Statement } from "../storage/sql.js";
import { macUuid } from "./mac-uuid.js";
import type { Caches } from "./services.js";
import { externalLookup, sealExternalId, withinWorkspace } from "./subjects.js";

/** A turn to keep, whatever door it came through. */
export interface TurnToKeep {
  readonly role: TurnRole;
  readonly text: string;
  readonly speaker?: string | undefined;
  readonly speaker_is_subject?: boolean | undefined;
  readonly source_id?: string | undefined;
  readonly observed_at?: Date | undefined;
  readonly tool?: string | undefined;
  readonly call_id?: string | undefined;
}

export interface Written {
  /** Keeps the external ids of speakers and sources: goes before the rows, and is empty where all of them are known. */
  readonly names: readonly Statement[];
  /** Rows to write: a source that comes twice has one. */
  readonly rows: NewTurns;
  /** Of each turn that was given. */
  readonly ids: readonly TurnId[];
}

export interface Origin {
  readonly scope: SessionScope;
  readonly key: SubjectKey;
  readonly run: string;
  readonly routeId: string;
  readonly evidenceDays: number;
  readonly conversation: boolean;
  /**
   * Speakers whose names are kept already, and get known by this write: one that isn't kept after all makes a later write
   * fail with `name_missing`, to be tried again without it. Null where nobody would try again.
   */
  readonly speakers: Caches["speakers"] | null;
}

/** Refuses what no layer keeps: a credential, and a model's reasoning. What a person writes isn't a model's. */
export function refuseText({ role, text }: Pick<TurnToKeep, "role" | "text">, field: string): void {
  refuseCredential(text, field);
  if (role !== "user") refuseChainOfThought(text, field);
}

/** Seals turns with their search terms. Text that holds a credential is refused before anything is sent. */
export function writeTurns(origin: Origin, turns: readonly TurnToKeep[]): Written {
  for (const [index, turn] of turns.entries()) refuseText(turn, `turns.${index}.text`);
  const { scope, run, routeId } = origin;
  const names = new Names(origin);
  const ids = turns.map((turn) => turnIdOf(origin, turn));
  const firsts = turns.flatMap((turn, index) => {
    const turnId = ids[index] as TurnId;
    return ids.indexOf(turnId) === index ? [{ turn, turnId }] : [];
  });
  const rows: readonly NewTurn[] = firsts.map(({ turn, turnId }) => {
    const standing = standingOf(origin, turnId, turn.role);
    return {
      turnId,
      role: turn.role,
      evidenceUntil: standing.evidenceUntil,
      ...sealTurn(origin, standing, turn),
      speakerLookup: names.lookup("speaker", turn.speaker),
      sourceLookup: names.lookup("source", turn.source_id),
      observedAt: turn.observed_at ?? scope.now,
    };
  });
  const { lookups, fresh } = names;
  return {
    names: fresh.length === 0 ? [] : [ensureExternalIds(scope, fresh)],
    rows: { run, routeId, turns: rows, names: lookups },
    ids,
  };
}

/** External ids of the speakers and sources of one write, each looked up and sealed once. */
class Names {
  /** Those that aren't known to be kept already. */
  readonly fresh: NewExternalId[] = [];
  readonly #origin: Origin;
  readonly #lookups = new Map<string, Uint8Array>();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get lookups(): readonly Uint8Array[] {
    return [...this.#lookups.values()];
  }

  lookup(kind: "speaker" | "source", id: string | undefined): Uint8Array | null {
    if (id === undefined) return null;
    const known = this.#lookups.get(`${kind}/${id}`);
    if (known !== undefined) return known;
    const { scope, key, speakers } = this.#origin;
    const lookup = externalLookup(key, scope.workspace, kind, id);
    this.#lookups.set(`${kind}/${id}`, lookup);
    const cacheKey = `${scope.tenant}/${scope.subject}/${Buffer.from(lookup).toString("base64")}`;
    if (kind === "speaker" && speakers?.has(cacheKey)) return lookup;
    this.fresh.push(sealExternalId({ subject: scope.subject, key }, kind, lookup, id));
    if (kind === "speaker") speakers?.set(cacheKey, true);
    return lookup;
  }
}

/** A turn of a source has one id in its workspace whenever it comes: sent again, it names the row that stands. */
function turnIdOf({ key, scope }: Origin, { source_id }: TurnToKeep): TurnId {
  return trustedId<"TurnId">(
    source_id === undefined
      ? uuidv7()
      : macUuid(key.mac("turn", withinWorkspace(scope.workspace, source_id))),
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
export type Standing = Pick<
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
    ...(turn.speaker_is_subject === true ? { speaker_is_subject: true } : {}),
  };
  // What is never evidence is never searched.
  const terms =
    standing.evidenceUntil === null
      ? NO_TERMS
      : analyseTurn({
          text: turn.text,
          speaker: turn.speaker ?? null,
          isDerived: standing.role === "assistant",
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
