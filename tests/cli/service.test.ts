import { once } from "node:events";
import { existsSync, renameSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../setup/databases.js";
import { jsonLines, MunimentProcess, type Served } from "./muniment-process.js";

describe("serve and doctor", () => {
  let muniment: MunimentProcess;
  let dataDir: string;
  let served: Served;

  beforeAll(async () => {
    const home = await temporaryDirectory();
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const MUNIMENT_METRICS_PORT = String((free.address() as AddressInfo).port);
    free.close();
    muniment = new MunimentProcess(home, { MUNIMENT_METRICS_PORT });
    dataDir = join(home, "data");
    served = await muniment.serve(dataDir);
  });

  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
  });

  const routes = async () => {
    const listed = await muniment.run(
      "route",
      "list",
      "--tenant",
      "t",
      "--data-dir",
      dataDir,
      "--json",
    );
    expect(listed.stderr).toBe("");
    return jsonLines(listed.stdout).map(({ route }) => (route as { route_id: string }).route_id);
  };

  it("a second process is refused, and told the holder's pid and URL", async () => {
    const second = await muniment.run("serve", "--port", "0", "--data-dir", dataDir);
    expect(second.code).toBe(1);
    const said = second.stderr.replace(/\s+/g, " ");
    expect(said).toContain(`process ${served.child.pid}, which serves ${served.url}`);
    expect(said).toContain("next: use that service, or stop it first");
    expect(second.stderr).not.toMatch(/\n {4}at /);
    expect(second.stdout).toBe("");
  });

  it("commands go through the service that holds the directory", async () => {
    const applied = await muniment.run(
      "route",
      "apply",
      "routes",
      "--tenant",
      "t",
      "--data-dir",
      dataDir,
      "--json",
    );
    expect(applied.stderr).toBe("");
    expect(jsonLines(applied.stdout)).toMatchObject([
      { route_id: "chat", version: 1, changed: true },
      { route_id: "fee_explain", version: 1, changed: true },
      { route_id: "payment_initiate", version: 1, changed: true },
    ]);
    const again = await muniment.run(
      "route",
      "apply",
      "routes",
      "--tenant",
      "t",
      "--data-dir",
      dataDir,
    );
    expect(again.stdout).toContain("chat v1 unchanged");
    // The token that `serve` printed is let in too.
    const reply = await fetch(`${served.url}/v1/routes`, {
      headers: { authorization: `Bearer ${served.token}` },
    });
    expect(reply.status).toBe(200);
  });

  it("a run is started and read, and a foreign tenant doesn't find it", async () => {
    const whose = [
      "--subject",
      "jane",
      "--session",
      "s1",
      "--route",
      "chat",
      "--goal",
      "Say hello",
    ];
    const place = ["--data-dir", dataDir, "--json"];
    const started = await muniment.run("run", "start", ...whose, "--tenant", "t", ...place);
    const { run_id } = JSON.parse(started.stdout);
    const read = await muniment.run("run", "read", run_id, "--tenant", "t", ...place);
    expect(JSON.parse(read.stdout)).toMatchObject({ run_id, state: "active", goal: "Say hello" });
    const foreign = await muniment.run("run", "read", run_id, "--tenant", "other", ...place);
    expect(foreign).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(foreign.stderr)).toMatchObject({
      error: { kind: "not_found", message: "tenant other has no such run" },
    });
  });

  it("a development token says what was asked for, and no more", async () => {
    const bound = ["--tenant", "t", "--kind", "human", "--subject", "tom", "--data-dir", dataDir];
    const { stdout } = await muniment.run("dev-token", ...bound);
    const token = stdout.trim();
    const call = (path: string) =>
      fetch(`${served.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect((await call("/v1/audit")).status).toBe(403);
    const tooLong = await muniment.run("dev-token", ...bound, "--seconds", "3601");
    expect(tooLong.code).toBe(2);
  });

  it.each([
    [["--session", "s1"], "--session needs --subject"],
    [["--run", "r1"], "--run is for --kind agent"],
    [["--kind", "agent"], "--kind agent needs --run"],
    [["--kind", "agent", "--run", "r1", "--role", "app"], "--kind agent has no roles"],
  ])("a development token that nobody would take isn't signed: %j", async (more, why) => {
    const refused = await muniment.run(
      "dev-token",
      "--tenant",
      "t",
      "--data-dir",
      dataDir,
      ...more,
    );
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(why);
  });

  it.each([["dev-token"], ["route", "list"], ["run", "read", "r1"]])(
    "a mistyped data directory is refused, and isn't made: %s",
    async (...command) => {
      const place = join(dataDir, "..", "mistyped");
      const refused = await muniment.run(...command, "--tenant", "t", "--data-dir", place);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain(`nothing at ${place} yet\nnext: check --data-dir`);
      expect(existsSync(place)).toBe(false);
    },
  );

  it("the page of an error is where its problem details say", async () => {
    const refused = await fetch(`${served.url}/v1/audit`);
    const { type } = (await refused.json()) as { type: string };
    const page = await fetch(new URL(type, served.url));
    expect(page.headers.get("content-type")).toContain("text/markdown");
    expect(await page.text()).toContain("# unauthenticated");
    const unknown = await fetch(`${served.url}/v1/memories`);
    expect(((await unknown.json()) as { detail: string }).detail).toContain("/openapi.json");
  });

  it("S2-12 fields come from files: written once, unchanged the second time, shown with class and writers", async () => {
    const place = ["--tenant", "t", "--data-dir", dataDir, "--json"];
    const apply = () => muniment.run("field", "apply", "fields", ...place);
    const first = jsonLines((await apply()).stdout);
    expect(first).toContainEqual({ field_id: "statement_delivery", version: 1, changed: true });
    const again = jsonLines((await apply()).stdout);
    expect(again).toEqual(first.map((line) => ({ ...line, changed: false })));
    const listed = jsonLines((await muniment.run("field", "list", ...place)).stdout);
    expect(listed).toHaveLength(first.length);
    expect(listed).toContainEqual(
      expect.objectContaining({
        field: expect.objectContaining({ field_id: "statement_delivery", class: "preference" }),
      }),
    );
    const nobody = await muniment.run("field", "values", "nobody", ...place);
    expect(nobody).toMatchObject({ code: 1, stdout: "" });
  });

  it("doctor asks the service that holds the directory", async () => {
    const looked = await muniment.run("doctor", "--data-dir", dataDir, "--json");
    expect(looked.code).toBe(0);
    const { ok, checks, figures } = JSON.parse(looked.stdout);
    expect(ok).toBe(true);
    // Nobody has recalled yet.
    expect(figures).toMatchObject({ muniment_index_entries: 0, muniment_index_filled_total: 0 });
    const names = [
      "disk",
      "lock",
      "database",
      "migrations",
      "roles",
      "row_level_security",
      "custody",
      "issuers",
      "model",
    ];
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(checks[1].detail).toContain(served.url);
  });

  it("S4-04 doctor says that a language model's service doesn't answer, and what to do", async () => {
    const nowhere = createServer().listen(0, "127.0.0.1");
    await once(nowhere, "listening");
    const { port } = nowhere.address() as AddressInfo;
    nowhere.close();
    const asking = new MunimentProcess(join(dataDir, ".."), {
      MUNIMENT_MODEL_URL: `http://127.0.0.1:${port}/v1`,
      MUNIMENT_MODEL_NAME: "away",
    });
    const looked = await asking.run("doctor", "--data-dir", dataDir, "--json");
    expect(looked.code).toBe(1);
    const { checks } = JSON.parse(looked.stdout);
    expect(checks.at(-1)).toMatchObject({
      name: "model",
      ok: false,
      next_step: expect.stringContaining("jobs list --state parked"),
    });
  });

  it("a taken port is refused before anything is served", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => other.once("listening", done));
    const port = String((other.address() as AddressInfo).port);
    const place = join(dataDir, "..", "elsewhere");
    const refused = await muniment.run("serve", "--port", port, "--data-dir", place);
    other.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`port ${port} of 127.0.0.1 is taken`);
    const looked = await muniment.run("doctor", "--data-dir", place, "--json");
    expect(JSON.parse(looked.stdout)).toMatchObject({ ok: true });
  });

  it("after kill -9 it starts again, with all that was acknowledged", async () => {
    served.child.kill("SIGKILL");
    expect(await served.ended).toBe("SIGKILL");
    served = await muniment.serve(dataDir);
    expect(await routes()).toEqual(["chat", "fee_explain", "payment_initiate"]);
  });

  it("SIGTERM ends it with 0, and commands then open the directory themselves", async () => {
    served.child.kill("SIGTERM");
    expect(await served.ended).toBe(0);
    const { stdout } = await muniment.run("doctor", "--data-dir", dataDir, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ figures: null });
    expect(await routes()).toEqual(["chat", "fee_explain", "payment_initiate"]);
  });

  it("doctor names a custody that is gone, and serve refuses to make another", async () => {
    const sound = await muniment.run("doctor", "--data-dir", dataDir, "--json");
    expect(JSON.parse(sound.stdout)).toMatchObject({ ok: true });
    renameSync(join(dataDir, "custody"), join(dataDir, "custody-away"));
    const looked = await muniment.run("doctor", "--data-dir", dataDir, "--json");
    expect(looked.code).toBe(1);
    const { ok, checks } = JSON.parse(looked.stdout) as {
      ok: boolean;
      checks: { name: string; ok: boolean }[];
    };
    expect(ok).toBe(false);
    expect(checks.filter((check) => !check.ok).map(({ name }) => name)).toEqual(["custody"]);
    const refused = await muniment.run("serve", "--port", "0", "--data-dir", dataDir);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("custody");
    renameSync(join(dataDir, "custody-away"), join(dataDir, "custody"));
  });

  it("doctor of a directory that isn't there makes nothing", async () => {
    const nowhere = join(dataDir, "..", "nowhere");
    const looked = await muniment.run("doctor", "--data-dir", nowhere, "--json");
    expect(JSON.parse(looked.stdout)).toMatchObject({ ok: true });
    expect(existsSync(nowhere)).toBe(false);
  });
});
