/** Output of one completed stage, kept in its slot. */
export interface SlotValue {
  readonly stage_id: string;
  readonly value: unknown;
}
