import type { TurnRole } from "../domain/turn.js";

export interface ImportedTurnBody {
  readonly session: string;
  readonly source_id: string;
  readonly role?: TurnRole;
  readonly speaker?: string;
  readonly text: string;
  readonly observed_at: string;
  readonly tool?: string;
  readonly call_id?: string;
}

export interface ImportTurnsBody {
  readonly route_id: string;
  readonly rows: readonly ImportedTurnBody[];
}
