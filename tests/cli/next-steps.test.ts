import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningService, startService } from "../../src/compose/serve.js";
import { temporaryDirectory } from "../setup/databases.js";
import { runHere } from "./run-here.js";

describe("next steps on the command line", () => {
  let service: RunningService;
  let dir: string;

  const run = (...args: readonly string[]) => runHere(...args, "--tenant", "t", "--data-dir", dir);
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };

  beforeAll(async () => {
    dir = await temporaryDirectory();
    service = await startService(
      { dataDir: dir, port: 0, masterKeyFile: join(dir, "master.key") },
      { logLevelDefault: "silent", announce: true },
    );
    const memory_profile = {
      conversation: "session",
      long_term: "retrieve_only",
      ttl_hours: 24,
      isolation: ["tenant", "user", "session"],
    };
    const loop = { route_id: "loop", memory_profile, autonomy: 1, tools: [], tokens_max: 4000 };
    await run("route", "apply", fileOf("loop.json", JSON.stringify(loop)));
    await run("route", "apply", "routes/chat.yaml");
  });

  afterAll(() => service.stop());

  it("S4-12 import shows the recall that works, and of a route that opens none here what does", async () => {
    const line = { session: "s", text: "hello", observed_at: "2026-03-01T09:30:00Z" };
    const chats = fileOf("chats.jsonl", JSON.stringify(line));
    const closed = await run("import", chats, "--route", "loop", "--subject", "ana");
    expect(closed.err).toContain("autonomy 0 that lists it in `recall_from`");
    expect(closed.err).not.toContain("muniment recall");
    const open = await run("import", chats, "--route", "chat", "--subject", "ben");
    expect(open.err).toContain("ask for it: muniment recall --route chat --subject ben");
  });

  it.each([
    [["recall"], "in a tool loop (1) list recall_turns in `tools`"],
    [["recall", "--scope", "both"], "list recall_observations in the route's `tools`"],
    [["assemble"], "list recall_turns in `tools` and call it, which no pack does"],
  ])("S4-12 %s that the route doesn't open says how a route opens it", async (words, next) => {
    const refused = await run(...words, "--route", "loop", "--subject", "ana", "--query", "hello");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("next: ");
    expect(refused.err).toContain(next);
  });

  it("a misspelt tenant is told to check its name before anything is made", async () => {
    const { err } = await runHere(
      ...["recall", "--route", "chat", "--subject", "ana", "--query", "hello"],
      ...["--tenant", "tt", "--data-dir", dir],
    );
    expect(err).toMatch(/^error: tenant tt has no route chat next: check --tenant /);
  });

  it.each([
    ["a person to export", ["export", "-", "--subject", "nobody"], "for subject nobody"],
    ["a person's freshness", ["freshness", "nobody"], "for subject nobody"],
    ["a job", ["jobs", "retry", "0123456789ab"], "has no such job"],
    [
      "a candidate",
      ["candidate", "approve", "0123456789ab", "--as", "rita", "--hash", "0".repeat(64)],
      "has no such candidate",
    ],
  ])("%s that isn't there is named", async (_, words, said) => {
    const { code, err } = await run(...words);
    expect(code).toBe(1);
    expect(err).toContain(said);
    expect(err).toContain("next: ");
  });

  it("view says where nothing is in it", async () => {
    for (const view of ["user_model", "clinical_state"])
      expect((await run("view", "ana", view)).out).toContain(`nothing of the person is in ${view}`);
  });

  it("a file that isn't there, or isn't what it should be, is told as what it is", async () => {
    const nowhere = join(dir, "nowhere");
    const text = fileOf("jane.md", "# What is kept about you");
    const place = ["--data-dir", dir];
    for (const [words, said, next] of [
      [["erase", "verify", nowhere], "nowhere doesn't exist", "check the path"],
      [["erase", "verify", text], "isn't a receipt", "muniment erase --json printed"],
      [["erase", "verify", dir], "isn't a file", "name one file"],
      [["restore", nowhere], "it doesn't exist", "check the path"],
      [["import-archive", nowhere, "--tenant", "t"], "doesn't exist", "check the path"],
      [["import-archive", text, "--tenant", "t"], "it isn't an archive", "without --readable"],
      [["export", text, "--tenant", "t"], "is there already", "name a new file"],
    ] as const) {
      const { code, err } = await runHere(...words, ...place);
      expect(code).toBe(1);
      expect(err).toContain(said);
      expect(err).toContain(`next: `);
      expect(err).toContain(next);
    }
  });

  it("a value that is none of those that there are is told them", async () => {
    const row = { session: "s", text: "hi", role: "usr", observed_at: "2026-03-01T09:30:00Z" };
    const file = fileOf("role.jsonl", JSON.stringify(row));
    const { out } = await run("import", file, "--route", "chat", "--subject", "ana");
    expect(out).toContain("must be one of user, assistant, system, tool_call, tool_result");
  });
});
