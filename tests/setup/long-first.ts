import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes a core for half a minute or more. The last file to start must be a short one, or one core waits for it. */
const LONG = [
  "tests/doors/door-table.test.ts",
  "tests/docs-snippets.test.ts",
  "tests/doors/startup.test.ts",
  "tests/cli/demo.test.ts",
  "tests/doors/crash.test.ts",
  "tests/cli/service.test.ts",
  "tests/cli/erase.test.ts",
  "tests/doors/lock.test.ts",
  "tests/services/lookalikes.test.ts",
  "tests/doors/logs.test.ts",
  "tests/storage/migrate.test.ts",
  "tests/doors/abort.test.ts",
  "tests/services/segments.test.ts",
];

/** Long files first, and each project's in one piece: a worker goes on only where the next file is of the same project. */
export class LongFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification): number => {
      if (project.name === "rules") return LONG.length + 1;
      const place = LONG.indexOf(relative(project.config.root, moduleId));
      return place === -1 ? LONG.length : place;
    };
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}
