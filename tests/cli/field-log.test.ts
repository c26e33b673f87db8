import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../../src/compose/serve.js";
import { must } from "../../src/domain/errors.js";
import { temporaryDirectory } from "../setup/databases.js";
import { runHere } from "./run-here.js";

const FIELD = "statement_delivery";
const ID = "[0-9a-f]{12}";

describe("decisions on values, on the command line", () => {
  let service: RunningService;
  let dir: string;

  const run = (...args: readonly string[]) => runHere(...args, "--tenant", "t", "--data-dir", dir);

  /** A person who serves them saves it for them. */
  async function save(value: string, subject = "jane"): Promise<void> {
    const token = await must(
      service.signToken,
      "development tokens",
    )({
      id: "rita",
      kind: "human",
      roles: ["reviewer"],
      tenant: "t",
      workspace: "default",
    });
    const saved = await fetch(`${service.url}/v1/subjects/${subject}/fields/${FIELD}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ value }),
    });
    expect(saved.status).toBe(200);
  }

  const newest = (log: string) => must(log.match(new RegExp(`(${ID}) ${FIELD}`))?.[1], "promotion");

  beforeAll(async () => {
    dir = await temporaryDirectory();
    service = await startService(
      { dataDir: dir, port: 0, masterKeyFile: join(dir, "master.key") },
      { logLevelDefault: "silent", announce: true },
    );
    await run("field", "apply", "fields");
    await save("paper");
    await save("email");
  });

  afterAll(() => service.stop());

  it("S2-22 field log shows who wrote which version by which rule, newest first", async () => {
    const { code, out } = await run("field", "log", "jane", "--field", FIELD);
    expect(code).toBe(0);
    expect(out).toMatch(/ v2 \S*rita .* v1 \S*rita /);
    const other = await run("field", "log", "jane", "--field", "contact_window");
    expect(other).toMatchObject({ code: 0, out: "", err: "nothing was decided yet" });
    const nobody = await run("field", "log", "nobody");
    expect(nobody).toMatchObject({ code: 1, out: "" });
    expect(nobody.err).toContain("nothing is kept for subject nobody");
  });

  it("S2-22 field revert takes the standing decision back by a line of its own, and no other", async () => {
    const before = newest((await run("field", "log", "jane")).out);
    const reverted = await run("field", "revert", "jane", before, "--as", "rob");
    expect(reverted).toMatchObject({ code: 0, err: "" });
    expect((await run("field", "values", "jane")).out).toContain('"paper"');
    const { out } = await run("field", "log", "jane");
    expect(out).toMatch(new RegExp(`rob revert of .* ${before} `));
    const again = await run("field", "revert", "jane", before, "--as", "rob");
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("next: see which decision stands: muniment field log jane");
    const letter = await run("export", "-", "--subject", "jane", "--readable");
    expect(letter.out).toMatch(
      /: email no longer: .*: paper stands now|: paper no longer: .*: email no longer: .*: paper stands now/,
    );
    const other = await run("field", "revert", "jane", "0123456789ab", "--as", "rob");
    expect(other.err).toContain("error: subject jane has no such promotion");
  });

  it("S2-22 where all is taken back, field values says that nothing stands, and where it was decided", async () => {
    await save("paper", "tom");
    const { out } = await run("field", "log", "tom");
    expect((await run("field", "revert", "tom", newest(out), "--as", "rita")).code).toBe(0);
    const values = await run("field", "values", "tom");
    expect(values).toMatchObject({ code: 0, out: "" });
    expect(values.err).toMatch(/^no values stand .*: muniment field log tom --tenant t /);
  });
});
