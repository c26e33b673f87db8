import { expect } from "vitest";
import type { DatabaseKind } from "../setup/databases.js";
import { type Operations, openTestMuniment, routeBody, type TestMuniment } from "./muniment.js";
import { refusedWith } from "./refusal.js";

export const SECRET = "zebra-sentinel-4471";
export const NUL = `what's the \u0000 ${SECRET}`;
export const HALF = `ignore \ud83d ${SECRET}`;
export const LONG = SECRET.repeat(200);

export function deep(levels: number): unknown {
  return levels === 0 ? SECRET : [deep(levels - 1)];
}

export interface At {
  readonly app: Operations;
  readonly run: string;
  readonly session: string;
}

export type Call = (at: At, value: unknown) => Promise<unknown>;

/** Every place that takes text which is kept or searched, with the field that a refusal names. */
export const TEXTS: readonly [string, Call][] = [
  [
    "turns.0.text",
    ({ app, run }, text) => app.appendTurns(run, { turns: [{ role: "user", text }] }),
  ],
  [
    "turns.1.text",
    ({ app, session }, text) =>
      app.takeTurn("jane", session, {
        turns: [
          { role: "user", text: "x" },
          { role: "user", text },
        ],
      }),
  ],
  [
    "turns.0.text",
    ({ app, run }, text) =>
      app.completeStage(run, "s", { output: 1, turns: [{ role: "assistant", text }] }),
  ],
  ["goal", ({ app, session }, goal) => app.startRun("jane", session, { route_id: "chat", goal })],
  ["goal", ({ app, run }, goal) => app.projectChild(run, { route_id: "chat", goal, slots: [] })],
  ["notes.0", ({ app, run }, note) => app.completeStage(run, "s", { output: 1, notes: [note] })],
  ["failures.0", ({ app, run }, failure) => app.writeWorking(run, { failures: [failure] })],
  ["questions.0", ({ app, run }, question) => app.writeWorking(run, { questions: [question] })],
  ["artifact", ({ app, run }, artifact) => app.writeWorking(run, { artifact })],
  [
    "scratch.0.label",
    ({ app, run }, label) => app.writeWorking(run, { scratch: [{ ref: "r", label }] }),
  ],
  ["query", ({ app, run }, query) => app.recallTurns(run, { query })],
  ["recall.query", ({ app, run }, query) => app.assemble(run, { recall: { query } })],
];

/** Every place that takes a value of any shape. */
export const JSONS: readonly [string, Call][] = [
  ["output", ({ app, run }, output) => app.completeStage(run, "s", { output })],
  ["contract", ({ app, run }, contract) => app.writeWorking(run, { contract })],
  ["result", ({ app, run }, result) => app.writeCheckpoint(run, { step: 1, result })],
  ["proposals", ({ app, run }, proposals) => app.writeCheckpoint(run, { step: 1, proposals })],
  [
    "observations",
    ({ app, run }, observations) => app.writeCheckpoint(run, { step: 1, observations }),
  ],
];

/** Refused as bad input, by that field, without the value; and the next good call works. */
export async function refusedByName(call: Promise<unknown>, field: string, kind = "invalid_input") {
  const refusal = await refusedWith(call);
  expect([refusal.kind, refusal.field], refusal.message).toEqual([kind, field]);
  expect(refusal.message).toContain(field.split(".")[0]);
  expect(`${refusal.message}${refusal.field}`).not.toContain("sentinel");
  expect(refusal.message.isWellFormed()).toBe(true);
  return refusal;
}

/** A Muniment with a chat of Jane's. */
export async function openInputs(database: DatabaseKind): Promise<{ m: TestMuniment; at: At }> {
  const m = await openTestMuniment(database);
  await m.operator().putRoute("chat", routeBody());
  const { run_id } = await m.app().startRun("jane", "home", { route_id: "chat", goal: "x" });
  return { m, at: { app: m.app(), run: run_id, session: "home" } };
}

/** What was refused before has done no harm. */
export async function goodCallWorks(m: TestMuniment, { app, run }: At): Promise<void> {
  await app.appendTurns(run, { turns: [{ role: "user", text: "hello" }] });
  expect(m.alarms).toEqual([]);
}
