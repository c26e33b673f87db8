import type { SubjectKey } from "../domain/keyring.js";
import type { TurnContent, TurnRole } from "../domain/turn.js";
import type { TurnRow } from "../storage/queries/turn-list-by-session.js";
import type { EvidenceRow } from "../storage/queries/turn-list-evidence.js";
import type { OnAlarm } from "../storage/store.js";
import { orAlarm } from "./integrity.js";
import { externalPlace } from "./subjects.js";
import { turnPlace } from "./turn-writing.js";

/** A turn as its reader sees it. */
export interface OpenTurn {
  readonly row: TurnRow;
  readonly role: TurnRole;
  readonly content: TurnContent;
  readonly speaker: string | null;
}

/** The source's own id of a turn that came with one, such as a message id; null where there is none or it doesn't open. */
export function sourceIdOf(row: EvidenceRow, key: SubjectKey, onAlarm: OnAlarm): string | null {
  const { sourceId, sourceLookup, sourceSealed } = row;
  if (sourceId === null || sourceLookup === null || sourceSealed === null) return null;
  return orAlarm(onAlarm, () =>
    key.open(externalPlace("source", sourceLookup, sourceId), sourceSealed),
  );
}

/** Opens rows of turns. One that doesn't open where it stands is left out and reported. `speakers`: names that were opened already. */
export function openTurns(
  rows: readonly TurnRow[],
  key: SubjectKey,
  onAlarm: OnAlarm,
  speakers = new Map<string, string>(),
): readonly OpenTurn[] {
  return rows.flatMap((row) => {
    const opened = orAlarm(onAlarm, () => openTurn(row, key, speakers));
    return opened === null ? [] : [opened];
  });
}

function openTurn(row: TurnRow, key: SubjectKey, speakers: Map<string, string>): OpenTurn {
  const content = JSON.parse(key.open(turnPlace(row), row.contentSealed)) as TurnContent;
  return { row, role: row.role, content, speaker: speakerOf(row, key, speakers) };
}

function speakerOf(row: TurnRow, key: SubjectKey, speakers: Map<string, string>): string | null {
  if (row.speakerId === null || row.speakerSealed === null || row.speakerLookup === null)
    return null;
  const known = speakers.get(row.speakerId);
  if (known !== undefined) return known;
  const label = key.open(
    externalPlace("speaker", row.speakerLookup, row.speakerId),
    row.speakerSealed,
  );
  speakers.set(row.speakerId, label);
  return label;
}
