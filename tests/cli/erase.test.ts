import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../setup/databases.js";
import { MunimentProcess, type Served } from "./muniment-process.js";

const SECRET = "numbat-sentinel-4471";

interface Reply {
  readonly code: number;
  readonly json: Readonly<Record<string, unknown>>;
}

describe("erase on the command line", () => {
  let muniment: MunimentProcess;
  let served: Served;
  let dir: string;
  let data: string;

  const at = () => ["--data-dir", data, "--json"];
  const run = async (...args: readonly string[]): Promise<Reply> => {
    const { code, stdout, stderr } = await muniment.run(...args, ...at());
    expect(stderr).not.toContain(SECRET);
    return { code, json: JSON.parse(stdout === "" ? stderr : stdout) };
  };
  const inTenant = (...args: readonly string[]) => run(...args, "--tenant", "t");

  async function importFor(subject: string, rows: number): Promise<Reply> {
    const file = join(dir, `${subject}.jsonl`);
    const lines = Array.from({ length: rows }, (_, n) =>
      JSON.stringify({
        session: `s${n % 7}`,
        source_id: `${subject}-${n}`,
        text: `${SECRET} line ${n}`,
        observed_at: "2026-03-01T09:30:00Z",
      }),
    );
    writeFileSync(file, lines.join("\n"));
    return await inTenant("import", file, "--route", "chat", "--subject", subject);
  }

  beforeAll(async () => {
    dir = await temporaryDirectory();
    data = join(dir, "data");
    muniment = new MunimentProcess(dir);
    served = await muniment.serve(data);
    await muniment.run("route", "apply", "routes/chat.yaml", "--tenant", "t", "--data-dir", data);
  });

  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
  });

  it("S1-26 shows the receipt, keeps to it, and finds nothing afterwards", async () => {
    await importFor("jane", 40);
    const erased = await inTenant("erase", "jane");
    expect(erased.code).toBe(0);
    const receipt = erased.json as { erasure_id: string; stores: { found: number }[] };
    expect(receipt.stores.every(({ found }) => found === 0)).toBe(true);
    expect(JSON.stringify(receipt)).not.toMatch(/jane|numbat/);
    const { decision: _, ...again } = (await inTenant("erase", "jane")).json;
    expect(again).toEqual(receipt);
    expect(await inTenant("erase", "status", receipt.erasure_id)).toMatchObject({
      code: 0,
      json: { state: "closed" },
    });
    const file = join(dir, "receipt.json");
    writeFileSync(file, JSON.stringify(receipt));
    expect(await run("erase", "verify", file)).toMatchObject({
      code: 0,
      json: { ok: true, signature: "valid" },
    });
    writeFileSync(file, JSON.stringify({ ...receipt, reason: "policy" }));
    expect(await run("erase", "verify", file)).toMatchObject({ code: 1, json: { ok: false } });
    writeFileSync(file, "{}");
    expect(await run("erase", "verify", file)).toMatchObject({ code: 1 });
    for (const text of [SECRET, "jane"]) {
      const { stores } = (await inTenant("find", text, "--raw")).json as {
        stores: { name: string; found: number }[];
      };
      const found = stores.filter((store) => store.found > 0);
      expect(found).toEqual([]);
      expect(stores.map(({ name }) => name)).toContain("files.database");
    }
    expect(await importFor("jane", 40)).toMatchObject({ code: 1, json: { imported: 0 } });
    expect(await inTenant("erase", "nobody-known")).toMatchObject({ code: 1 });
  });

  /** Resolves when custody's file has changed, and so a step of the erasure is behind us. */
  async function changed(name: string): Promise<void> {
    const file = join(data, "custody", name);
    const before = readFileSync(file);
    while (readFileSync(file).equals(before)) await setImmediate();
  }

  /** Steps that show in custody: the intent, the key's end, the end of the ledger's entry. */
  const STEPS: readonly (readonly [string, () => Promise<void>])[] = [
    ["its intent", () => changed("ledger.log")],
    ["the key's end", () => changed("keys.log")],
    ["its end in the ledger", () => changed("ledger.log").then(() => changed("ledger.log"))],
  ];

  it.each(STEPS)(
    "S5-08 killed at %s, an erasure is whole after the next start",
    async (at, step) => {
      const subject = at.replaceAll(/\W/g, "-");
      await importFor(subject, 400);
      const token = await muniment.run(
        "dev-token",
        ...["--tenant", "t", "--kind", "service", "--id", "p", "--role", "privacy_officer"],
        ...["--data-dir", data],
      );
      const headers = {
        authorization: `Bearer ${token.stdout.trim()}`,
        "content-type": "application/json",
      };
      const reached = step();
      const url = `${served.url}/v1/subjects/${subject}/erasures`;
      const asked = fetch(url, { method: "POST", headers, body: "{}" }).catch(() => null);
      await reached;
      served.child.kill("SIGKILL");
      await served.ended;
      await asked;
      served = await muniment.serve(data);
      // The start has finished it: nobody is there any more, and asking again shows the receipt.
      const values = await inTenant("field", "values", "--subject", subject);
      expect(values).toMatchObject({ code: 1, json: { error: { kind: "not_found" } } });
      const erased = await inTenant("erase", subject);
      expect(erased).toMatchObject({ code: 0, json: { scope: "subject" } });
      const { stores } = erased.json as { stores: { found: number; rows_removed: number }[] };
      expect(stores.every((store) => store.found === 0)).toBe(true);
      const removed = stores.reduce((sum, { rows_removed }) => sum + rows_removed, 0);
      expect(removed).toBeGreaterThan(400);
    },
  );
});
