import { defineConfig } from "vitest/config";
import { LongFirstSequencer } from "./tests/setup/long-first.js";
import { ProblemsReporter } from "./tests/setup/problems-reporter.js";

/** Beside the code, and yet with a database or processes of their own. */
const WITH_DATABASE = ["src/custody/**/*.test.ts"];

// Vitest finds its configuration by the default export.
export default defineConfig({
  test: {
    reporters: ["default", "json", new ProblemsReporter()],
    outputFile: { json: ".cache/vitest.json" },
    pool: "forks",
    maxWorkers: 2,
    // A process for each file would be half of the time. INVARIANT: a file leaves nothing behind: it closes what it opens,
    // puts back what it changes of the process, and keeps nothing of its own in a module that others import.
    isolate: false,
    setupFiles: ["tests/setup/each-file.ts"],
    sequence: { sequencer: LongFirstSequencer },
    projects: [
      {
        extends: true,
        test: {
          name: "rules",
          include: ["src/**/*.test.ts"],
          exclude: WITH_DATABASE,
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "parts",
          include: ["tests/**/*.test.ts", ...WITH_DATABASE],
          globalSetup: ["tests/setup/postgres.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
