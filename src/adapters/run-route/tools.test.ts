import { expect, it } from "vitest";
import { MunimentError } from "../../domain/errors.js";
import type { Course } from "./course.js";
import { callTool } from "./tools.js";

const away = () =>
  Promise.reject(
    new MunimentError("unavailable", "the database is not available", {
      nextStep: "go on without recall",
    }),
  );
const course = {
  runId: "r1",
  capabilities: new Map(),
  memory: { recallTurns: away, recallEpisodes: away, recallObservations: away, useTool: away },
} as unknown as Course;

it.each(["recall_turns", "recall_episodes", "recall_observations"])(
  "S4-12 where %s can't search now, the model hears of it and goes on without",
  async (tool) => {
    expect(await callTool(course, { id: "c1", tool, input: { query: "fee" } }, "k")).toEqual({
      error: "unavailable",
      message: "go on without recall",
    });
  },
);

it("S1-16 another tool that isn't available ends the course", async () => {
  await expect(callTool(course, { id: "c1", tool: "pay", input: {} }, "k")).rejects.toMatchObject({
    kind: "unavailable",
  });
});
