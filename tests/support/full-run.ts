import type { TestMuniment } from "./muniment.js";

export const said = (text: string, role = "user") => ({ role, text });

/** Runs of which packs are made. */
export function runsIn(muniment: () => TestMuniment) {
  let sessions = 0;
  async function start(route_id = "chat", subject = "jane") {
    const session = `s${sessions++}`;
    const app = muniment().app();
    const { run_id } = await app.startRun(subject, session, { route_id, goal: "Explain the fee" });
    return { session, run: run_id };
  }
  /** One that has something of each class of working memory. */
  async function full() {
    const at = await start();
    const app = muniment().app();
    await app.writeWorking(at.run, {
      scratch: [{ ref: "s3://scratch/1", label: "raw page" }],
      questions: ["which card?"],
      failures: ["E1: amount is missing", "E2: tone"],
      artifact: "s3://artifact/1",
      criteria: [{ criterion_id: "fee.explained", version: 2 }],
      contract: { job: "explain", limit: 3 },
    });
    await app.completeStage(at.run, "lookup", { output: { amount: 42 }, notes: ["foreign ATM"] });
    const turns = [said("why this fee?"), said("I look it up", "assistant")];
    await app.appendTurns(at.run, { turns });
    return at;
  }
  return { start, full };
}
