import { beforeAll, expect, it } from "vitest";
import type { RunMemory } from "../../src/adapters/run-route/memory.js";
import { resumeRoute, runRoute } from "../../src/adapters/run-route/run-route.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openPatternBank, type PatternBank } from "./bank.js";

/** Stands for the end of the process: nothing that would come after it happens. */
class Gone extends Error {}

/** The memory of a process that ends at its `last`th operation: before it reaches the service, or before its reply comes back. */
function until(memory: RunMemory, last: number, at: "before" | "after"): RunMemory {
  let calls = 0;
  return new Proxy(memory, {
    get: (target, name: keyof RunMemory) => {
      return async (...given: readonly unknown[]) => {
        calls += 1;
        if (calls > last || (calls === last && at === "before")) throw new Gone();
        const operation = target[name] as (...args: readonly unknown[]) => Promise<unknown>;
        const reply = await operation(...given);
        if (calls === last) throw new Gone();
        return reply;
      };
    },
  });
}

describeEachDatabase("crash", (database) => {
  let bank: PatternBank;

  beforeAll(async () => {
    bank = await openPatternBank(database);
    await bank.putRoute("agent", {
      autonomy: 3,
      stages: [
        { stage_id: "collect", tools: ["book"] },
        { stage_id: "check" },
        { stage_id: "answer", tools: [] },
      ],
    });
  });

  it("S3-03 S3-05 a process that ends at any operation is taken up again: each stage completes once, no tool call is repeated", async () => {
    // start_run, read_route, assemble, two checkpoints around use_tool, three stages, two more packs, close_run.
    const operations = 11;
    for (let last = 2; last <= operations; last++) {
      for (const at of ["before", "after"] as const) {
        const subject = `s-${last}-${at}`;
        let booked = 0;
        let checked = 0;
        const options = {
          subject,
          session: "now",
          model: async ({
            messages,
            tools,
          }: {
            messages: readonly object[];
            tools: readonly object[];
          }) =>
            tools.length > 0 && !JSON.stringify(messages).includes('"tool"')
              ? { tool_calls: [{ id: "c1", tool: "book", input: {} }] }
              : { text: "done" },
          capabilities: {
            book: { run: () => ({ booked: ++booked }) },
            check: { run: () => ({ checked: ++checked }) },
          },
        };
        const app = bank.m.app();
        const first = runRoute(until(app, last, at), {
          ...options,
          route_id: "agent",
          goal: "Book",
        });
        await expect(first, `${last} ${at}`).rejects.toBeInstanceOf(Gone);
        const ended = last === operations && at === "after";
        if (ended) continue;
        const result = await resumeRoute(app, options);
        expect(result, `${last} ${at}`).toMatchObject({
          state: "completed",
          slots: { collect: { text: "done" }, answer: { text: "done" } },
        });
        expect(booked, `${last} ${at}`).toBeLessThanOrEqual(1);
        // A stage whose completion wasn't kept is tried again, with the same key.
        expect(checked, `${last} ${at}`).toBeLessThanOrEqual(2);
        const slots = await bank.m.db.query(
          "select item_key, version from muniment.working where run_id = $1 and class = 'slot' order by item_key",
          [result.run_id],
        );
        expect(slots).toEqual(
          ["answer", "check", "collect"].map((item_key) => ({ item_key, version: 1 })),
        );
      }
    }
  });
});
