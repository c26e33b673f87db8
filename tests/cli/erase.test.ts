import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signDevToken } from "../../src/compose/dev-access.js";
import { temporaryDirectory } from "../setup/databases.js";
import { MunimentProcess, type Served } from "./muniment-process.js";

const TIME = "2026-03-01T09:30:00Z";
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
        observed_at: TIME,
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
    expect((await inTenant("erase", "jane")).json).toEqual(receipt);
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
    const { stores } = (await inTenant("find", SECRET, "--raw")).json as {
      stores: { name: string; found: number }[];
    };
    expect(stores.filter((store) => store.found > 0)).toEqual([]);
    expect(stores.map(({ name }) => name)).toContain("files.database");
    expect(await importFor("jane", 40)).toMatchObject({
      code: 0,
      json: { imported: 0, skipped: 40 },
    });
  });

  it("S5-08 S5-10 a hold forbids to forget a session until it is released; then the session goes and the others stay", async () => {
    await importFor("tina", 14);
    const placed = await inTenant("hold", "place", "tina", "--covers", "session", "--target", "s0");
    expect(placed.code).toBe(0);
    const forget = () => inTenant("erase", "scope", "tina", "session", "s0", "--reason", "erase");
    expect(await forget()).toMatchObject({ code: 1, json: { error: { kind: "on_hold" } } });
    expect((await inTenant("hold", "list")).json.holds).toMatchObject([{ covers: "session" }]);
    const hold = String(placed.json.hold_id);
    expect((await inTenant("hold", "release", hold)).json.released_at).not.toBeNull();
    const forgotten = await forget();
    expect(forgotten).toMatchObject({ code: 0, json: { scope: "session" } });
    expect(await importFor("tina", 14)).toMatchObject({ json: { imported: 0, duplicates: 12 } });
    const nobody = await inTenant("erase", "scope", "tina", "session", "nothing");
    expect(nobody).toMatchObject({ code: 1, json: { error: { kind: "not_found" } } });
  });

  /** Resolves when custody's file has changed, and so a step of the erasure is behind us. */
  async function changed(name: string): Promise<void> {
    const file = join(data, "custody", name);
    const before = readFileSync(file);
    while (readFileSync(file).equals(before)) await setImmediate();
  }

  async function ask(role: string, path: string, body: object): Promise<Response> {
    const claims = { id: role, kind: "service", roles: [role], workspace: "default" } as const;
    const token = await signDevToken({ dataDir: data }, { ...claims, tenant: "t" });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    return await fetch(`${served.url}/v1/subjects/${path}`, request);
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
      const row = (n: number) => ({
        session: "s",
        source_id: `${subject}-${n}`,
        text: `${SECRET} ${n}`,
        observed_at: TIME,
      });
      const rows = Array.from({ length: 400 }, (_, n) => row(n));
      expect((await ask("app", `${subject}/import`, { route_id: "chat", rows })).status).toBe(200);
      const reached = step();
      const asked = ask("privacy_officer", `${subject}/erasures`, {}).catch(() => null);
      await reached;
      served.child.kill("SIGKILL");
      await served.ended;
      await asked;
      served = await muniment.serve(data);
      // The start has finished it: nothing is left to import again, and asking again shows the receipt.
      const again = await ask("app", `${subject}/import`, { route_id: "chat", rows });
      expect(await again.json()).toMatchObject({ imported: 0, skipped: 400 });
      const erased = await ask("privacy_officer", `${subject}/erasures`, {});
      const { stores } = (await erased.json()) as {
        stores: { found: number; rows_removed: number }[];
      };
      expect(stores.every((store) => store.found === 0)).toBe(true);
      const removed = stores.reduce((sum, { rows_removed }) => sum + rows_removed, 0);
      expect(removed).toBeGreaterThan(400);
    },
  );
});
