import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openMuniment } from "../../src/compose/muniment.js";
import { temporaryDirectory } from "../setup/databases.js";
import { routeBody } from "../support/muniment.js";

const SECRET = "zebrasentinel4471";

function filesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}

describe("data directory (pglite)", () => {
  it("S5-02 no file below the data directory, logs of the database and custody included, holds what was said or who", async () => {
    const dir = await temporaryDirectory();
    const dataDir = join(dir, "data");
    const masterKeyFile = join(dir, "master.key");
    const muniment = await openMuniment({ dataDir, masterKeyFile });
    const claims = { issuer: "test", id: SECRET, tenant: "bank-au", workspace: "default" };
    const app = muniment.as(
      { ...claims, kind: "service", roles: ["app"] },
      { idempotencyKey: SECRET },
    );
    await muniment
      .as({ ...claims, kind: "human", roles: ["operator"] })
      .putRoute("chat", routeBody());
    const { run_id } = await app.startRun(SECRET, SECRET, { route_id: "chat", goal: SECRET });
    await app.appendTurns(run_id, {
      turns: [{ role: "user", text: SECRET, speaker: SECRET, source_id: SECRET }],
    });
    await app.completeStage(run_id, "stage", { output: SECRET, notes: [SECRET] });
    const reader = muniment.as({ ...claims, kind: "service", roles: ["app"] });
    await reader.recallTurns(run_id, { query: SECRET });
    await reader.assemble(run_id, { recall: { query: SECRET } });
    await muniment.close();
    const files = filesBelow(dataDir);
    expect(files.length).toBeGreaterThan(100);
    const all = files.map((path) => readFileSync(path));
    // The search finds what stands in clear: the route's name.
    expect(all.some((bytes) => bytes.includes("retrieve_only"))).toBe(true);
    for (const spelling of [SECRET, "zebrasent", "inel4471"])
      expect(files.filter((_, index) => all[index]?.includes(spelling))).toEqual([]);
  });
});
