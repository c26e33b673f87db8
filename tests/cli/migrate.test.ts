import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../setup/databases.js";
import { MunimentProcess, type Served } from "./muniment-process.js";

const SECRET = "sentinel-51c0";

const FIELD = {
  class: "preference",
  description: "Language of letters",
  value_schema: { type: "string", enum: ["de", "en"] },
  writers: ["user", "human_agent"],
  owner: "service desk",
  scope: "customer",
  routes: "global",
  answers: { edited_by_human: true, wrong_value_repeats: true, writer_and_audit_named: true },
};

const EXPORT = [
  { id: "1", memory: SECRET, user_id: "ana", metadata: { language: "German" } },
  { id: "2", memory: SECRET, user_id: "ana", metadata: {} },
  { id: "3", memory: SECRET, user_id: "ana", metadata: { language: SECRET } },
];

describe("migrate", () => {
  let muniment: MunimentProcess;
  let served: Served;
  let dir: string;

  beforeAll(async () => {
    dir = await temporaryDirectory();
    muniment = new MunimentProcess(dir);
    served = await muniment.serve(join(dir, "data"));
    writeFileSync(join(dir, "memories.jsonl"), EXPORT.map((row) => JSON.stringify(row)).join("\n"));
    const rule = { field_id: "language", from: "metadata.language", values: { german: "de" } };
    writeFileSync(join(dir, "map.yaml"), JSON.stringify({ fields: [rule] }));
    const { stdout: token } = await run("dev-token", "--role", "operator");
    const put = await fetch(`${served.url}/v1/fields/language`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" },
      body: JSON.stringify(FIELD),
    });
    expect(put.status).toBe(200);
  });

  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
  });

  const run = (...args: readonly string[]) =>
    muniment.run(...args, "--tenant", "t", "--data-dir", join(dir, "data"));
  const migrate = (...more: readonly string[]) => {
    const files = [join(dir, "memories.jsonl"), "--map", join(dir, "map.yaml")];
    return run("migrate", ...files, "--from", "mem0", ...more);
  };

  it("S2-34 answers with counts and places, and no text; sent again it adds nothing", async () => {
    const first = await migrate("--json");
    expect(first.code).toBe(0);
    const counted = { from: "mem0", memories: { memory: 3 }, unmapped: 1, refused: 1 };
    expect(JSON.parse(first.stdout)).toMatchObject({ ...counted, candidates: 1, duplicates: 0 });
    expect(first.stderr).toBe("");
    const again = await migrate();
    expect(again.stdout).toContain("0 proposed, 1 there already, 0 skipped, 1 refused");
    for (const { stdout, stderr } of [first, again]) expect(stdout + stderr).not.toContain(SECRET);
  });

  it("S2-34 a mapping that isn't one, and an export that isn't there, are refused with what to do", async () => {
    writeFileSync(join(dir, "map.yaml"), JSON.stringify({ fields: [{ field_id: "language" }] }));
    const broken = await migrate();
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("fields.0")]);
    const missing = await run("migrate", "nowhere.json", "--from", "mem0", "--map", "nowhere.yaml");
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("nowhere.yaml")]);
  });
});
