import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../../src/compose/serve.js";
import type { SettingsInput } from "../../src/config/settings.js";
import { temporaryDirectory } from "../setup/databases.js";
import { runHere } from "./run-here.js";

const SAID = "I prefer calls in the morning.";

describe("what is derived, on the command line", () => {
  let service: RunningService;
  let dir: string;

  /** Runs one command as a client of the service. */
  const run = (...args: readonly string[]) => runHere(...args, "--tenant", "t", "--data-dir", dir);

  async function serve(more: SettingsInput = {}) {
    service = await startService(
      { dataDir: dir, port: 0, masterKeyFile: join(dir, "master.key"), ...more },
      { logLevelDefault: "silent", announce: true },
    );
  }

  // On a wide terminal no cell wraps: what a row says is one text.
  const { columns } = process.stdout;

  beforeAll(async () => {
    process.stdout.columns = 1_000;
    dir = await temporaryDirectory();
    await serve();
    await run("route", "apply", "routes/chat.yaml");
    const file = join(dir, "chats.jsonl");
    const line = (session: string, text: string) =>
      JSON.stringify({ session, source_id: session, text, observed_at: "2026-03-01T09:30:00Z" });
    writeFileSync(file, `${line("calls", SAID)}\n${line("weather", "Is it raining in Paris?")}\n`);
    expect(await run("import", file, "--route", "chat", "--subject", "ana")).toMatchObject({
      code: 0,
    });
  });

  afterAll(async () => {
    process.stdout.columns = columns;
    await service.stop();
  });

  it("S4-14 observe says how each session stands, what it left, and why one left nothing", async () => {
    const before = await run("observe", "ana");
    expect(before.out).toContain("calls not observed 0");
    expect(before.err).toContain("--imported");
    const after = await run("observe", "ana", "--imported");
    expect(after.out).toMatch(/calls observed \S+ 1\b/);
    expect(after.out).toMatch(/weather observed \S+ 0/);
    expect(after.err).toContain("no observations: the person said nothing along a dimension");
  });

  it("S4-14 freshness shows the three times of a person, and what waits", async () => {
    const { code, out } = await run("freshness", "ana");
    expect(code).toBe(0);
    expect(out).toMatch(/model made: \S+Z served: never/);
    expect(out).toContain("pending: 0 sessions, 0 observations");
    expect(out).toMatch(/session ended observed job .*calls open \S+Z/);
    await run("recall", "--subject", "ana", "--route", "chat", "--query", "calls");
    expect((await run("freshness", "ana")).out).not.toContain("muniment-cli");
    const nobody = await run("freshness", "nobody");
    expect(nobody).toMatchObject({ code: 1, out: "" });
  });

  it("S4-04 jobs list shows how each job stands, and those of one state alone", async () => {
    const all = await run("jobs", "list");
    expect(all).toMatchObject({ code: 0 });
    expect(all.out).toMatch(/[0-9a-f]{12} observe_session done 1 \S+Z/);
    const parked = await run("jobs", "list", "--state", "parked");
    expect(parked).toMatchObject({ code: 0, out: "", err: "no jobs" });
    expect((await run("jobs", "list", "--state", "lost")).code).toBe(2);
  });

  it("S4-23 view shows what each line rests on and when that was, and names the views where one isn't there", async () => {
    const folded = await run("view", "ana", "fold");
    expect(folded.out).toContain(SAID);
    expect(folded.out).toMatch(/conversation [0-9a-f]{12}, 2026-03-01/);
    const nothing = await run("view", "ana", "mood");
    expect(nothing).toMatchObject({ code: 1, out: "" });
    expect(nothing.err).toContain("no such view: there are user_model, fold, clinical_state");
  });

  it("S4-04 dimension test fails where an example does", async () => {
    const file = join(dir, "sleep.json");
    const definition = {
      entity: "person",
      type: "string",
      description: "how the person sleeps",
      tags: ["memory_extraction"],
      cues: ["slept"],
      examples: {
        preference: "I slept best in a cold room.",
        correction: "I slept better in a warm room after all.",
        nothing: "Ok, thank you for the call.",
      },
    };
    writeFileSync(file, JSON.stringify(definition));
    expect((await run("dimension", "test", file)).code).toBe(0);
    writeFileSync(file, JSON.stringify({ ...definition, cues: ["insomnia"] }));
    const failing = await run("dimension", "test", file);
    expect(failing.code).toBe(1);
    expect(failing.out).toContain("preference fails");
  });

  it("S1-26 find says what it searched, and that sealed text isn't found by its words", async () => {
    const found = await run("find", SAID, "--raw");
    expect(found.out).toMatch(
      /Searched \d+ stores \(\d+ tables, 2 of the queue, 3 kinds of files\) as they are stored/,
    );
  });

  it("recall marks turns of which something was observed, and those that stand corrected", async () => {
    const about = ["--subject", "ana", "--route", "chat"];
    const file = join(dir, "later.jsonl");
    const text = "From now on I prefer calls in the evening, not in the morning.";
    const later = { session: "later", source_id: "later", observed_at: "2026-04-01T09:30:00Z" };
    writeFileSync(file, JSON.stringify({ ...later, text }));
    await run("import", file, ...about);
    await run("observe", "ana", "--imported");
    const { out } = await run("recall", ...about, "--query", "calls", "--scope", "both");
    expect(out).toContain(`${text} [communication_preference] `);
    expect(out).toContain(`${SAID} [communication_preference, corrected since] `);
  });

  it("S4-04 observe doesn't wait for a model that refuses: it says that the job waits, and that nobody has to retry it", async () => {
    const refusing = createServer((_, response) => void response.writeHead(401).end());
    await once(refusing.listen(0, "127.0.0.1"), "listening");
    const { port } = refusing.address() as AddressInfo;
    await service.stop();
    await serve({ modelUrl: `http://127.0.0.1:${port}/v1`, modelName: "refusing" });
    const { err } = await run("observe", "ana", "--imported");
    expect(err).toMatch(/job \S+ is queued: unavailable:model/);
    const [, job = ""] = /job (\S+) is queued/.exec(err) ?? [];
    const retried = await run("jobs", "retry", job);
    expect(retried.code).toBe(1);
    expect(retried.err).toContain("it isn't parked");
    refusing.close();
  });
});
