/** Where the time comes from. Tests pass their own; nothing reads the machine's clock directly. */
export interface Clock {
  now(): Date;
}

/** Adds hours to an instant. */
export function hoursAfter(start: Date, hours: number): Date {
  return new Date(start.getTime() + hours * 3_600_000);
}
