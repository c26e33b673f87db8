import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

const CACHE = join(import.meta.dirname, "../../.cache");
const FILE = join(CACHE, "test-problems.txt");

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 300);
}

/** Keeps what failed, a line each, for the end of the run's output: a long log is often cut before it. */
export class ProblemsReporter implements Reporter {
  onTestRunStart(): void {
    rmSync(FILE, { force: true });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const failed = modules.flatMap((module) => [
      ...module.errors().map((error) => `${module.relativeModuleId}: ${oneLine(error.message)}`),
      ...[...module.children.allTests("failed")].map(
        (test) =>
          `${module.relativeModuleId}: ${test.fullName}: ${oneLine(test.result().errors?.[0]?.message ?? "")}`,
      ),
    ]);
    const outside = errors.map(
      (error) => `outside of a test: ${oneLine(`${error.message} ${error.stack ?? ""}`)}`,
    );
    const problems = [...failed, ...outside];
    if (problems.length === 0) return;
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(FILE, `${problems.join("\n")}\n`);
  }
}
