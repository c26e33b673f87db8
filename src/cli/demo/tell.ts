import { randomBytes } from "node:crypto";
import type { Io } from "../io.js";
import { plain } from "../table.js";
import { screenColumns, wrapped } from "../widths.js";
import { gatherCast, type JournalEntry, type Stage } from "./cast.js";
import { AUDIT_STEPS } from "./steps/audit.js";
import { CLINIC_STEPS } from "./steps/clinic.js";
import { EPISODE_STEPS } from "./steps/episode.js";
import { ERASE_STEPS } from "./steps/erase.js";
import { PACK_STEPS } from "./steps/pack.js";
import { REFUSAL_STEPS } from "./steps/refusals.js";
import { RUN_STEPS } from "./steps/run.js";
import { STORE_STEPS } from "./steps/store.js";
import { SWITCH_STEPS } from "./steps/switch.js";
import type { Scene, Step } from "./story.js";

/** Both stories, as `muniment demo` tells them: the bank's, and the clinic's. */
const ALL: readonly Step[] = [
  ...RUN_STEPS,
  ...PACK_STEPS,
  ...STORE_STEPS,
  ...SWITCH_STEPS,
  ...REFUSAL_STEPS,
  ...EPISODE_STEPS,
  ...ERASE_STEPS,
  ...AUDIT_STEPS,
  ...CLINIC_STEPS,
];

export interface Telling {
  readonly io: Pick<Io, "out">;
  readonly json: boolean;
  /** Both stories where nothing is said. */
  readonly steps?: readonly Step[];
}

/**
 * Tells the demo story on a running service, with real tokens over HTTP, and answers how many steps failed. Chats are
 * new ones each time, so it can be told again on the same data.
 */
export async function tellStory(stage: Stage, { io, json, steps = ALL }: Telling): Promise<number> {
  const nonce = randomBytes(4).toString("hex");
  const sessionB = `chat-b-${nonce}`;
  const journal: JournalEntry[] = [];
  const cast = await gatherCast(stage, { sessionB, tom: "tom" }, journal);
  const scene: Scene = { cast, journal, sessionA: `chat-a-${nonce}`, sessionB, facts: {} };
  if (!json) io.out("The demo story: Jane asks bank-au about a fee, Mia talks to clinic-au.\n");
  let failed = 0;
  for (const step of steps) {
    const { ok, detail, show } = await play(step, scene);
    if (!ok) failed += 1;
    if (json) {
      io.out(JSON.stringify({ step: step.name, ok, detail }));
      continue;
    }
    io.out(beside(`${ok ? "ok  " : "FAIL"} ${step.name.padEnd(20)}`, detail));
    for (const block of show) io.out(`\n${block}`);
    if (show.length > 0 || step === steps.at(-1)) io.out("");
  }
  io.out(json ? JSON.stringify({ ok: failed === 0, failed }) : lastLine(steps.length, failed));
  return failed;
}

async function play(step: Step, scene: Scene) {
  try {
    const { detail, show = [] } = await step.tell(scene);
    return { ok: true, detail, show };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error), show: [] };
  }
}

/** What a step says stays beside its name, line by line. */
function beside(name: string, detail: string): string {
  const lines = wrapped(plain(detail), screenColumns() - name.length - 1);
  return lines.map((line, at) => `${at === 0 ? name : " ".repeat(name.length)} ${line}`).join("\n");
}

function lastLine(steps: number, failed: number): string {
  return failed === 0 ? `All ${steps} steps hold.` : `${failed} of ${steps} steps failed.`;
}
