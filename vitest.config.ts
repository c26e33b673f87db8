import { defineConfig } from "vitest/config";
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
    projects: [
      {
        extends: true,
        test: {
          name: "rules",
          include: ["src/**/*.test.ts"],
          exclude: WITH_DATABASE,
          // Pure: a process for each of these files would be half of their time.
          isolate: false,
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
