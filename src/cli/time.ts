import { minute } from "../domain/assembly/line.js";

/** A time as people see it everywhere, in packs too: to the minute, with its zone. `--json` has all of it. */
export function timeOf(instant: string): string {
  return minute(new Date(instant));
}
