import { defineConfig } from "vitest/config";
import { ProblemsReporter } from "./tests/setup/problems-reporter.js";

// Vitest finds its configuration by the default export.
export default defineConfig({
  test: {
    reporters: ["default", "json", new ProblemsReporter()],
    outputFile: { json: ".cache/vitest.json" },
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/setup/postgres.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
