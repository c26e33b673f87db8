import type { TurnId } from "../domain/ids.js";
import type { Place } from "../domain/keyring.js";

/** A vector that was moved to another turn or said to be of another model doesn't open. */
export function vectorPlace(turn: TurnId, model: string): Place {
  return { table: "vector", column: "sealed", row: turn, within: model, version: 1 };
}
