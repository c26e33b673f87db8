import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../setup/databases.js";
import { MunimentProcess, type Served } from "./muniment-process.js";

const SAID = "Meine Fähre <b>fährt</b> um neun. 船は九時に出ます";

describe("archives on the command line", () => {
  let muniment: MunimentProcess;
  let served: Served;
  let dir: string;
  let archive: string;

  beforeAll(async () => {
    dir = await temporaryDirectory();
    muniment = new MunimentProcess(dir);
    served = await muniment.serve(join(dir, "data"));
    const transcript = join(dir, "chat.jsonl");
    const row = { session: "s1", source_id: "a1", text: SAID, observed_at: "2026-03-01T09:30:00Z" };
    writeFileSync(transcript, JSON.stringify(row));
    await said("route", "apply", "routes/chat.yaml");
    await said("import", transcript, "--route", "chat", "--subject", "ana");
    archive = join(dir, "ana.jsonl");
  });

  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
  });

  /** What a command prints; fails where it fails. */
  async function said(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr });
    return stdout;
  }

  const run = (...args: readonly string[]) =>
    muniment.run(
      ...args,
      "--data-dir",
      join(dir, "data"),
      ...(args.includes("--tenant") ? [] : ["--tenant", "ferries"]),
    );

  it("S5-14 a person goes into a file that nobody else reads, and comes to another tenant whole; again, nothing is added", async () => {
    expect(await said("export", archive, "--subject", "ana")).toMatch(/1 session, 1 run, 1 turn/);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const there = await run("export", archive, "--subject", "ana");
    expect([there.code, there.stderr]).toEqual([1, expect.stringContaining("is there already")]);

    const tenant = join(dir, "tenant.jsonl");
    await said("export", tenant);
    const bring = async (file: string) =>
      JSON.parse(await said("import-archive", file, "--tenant", "boats", "--json")) as object;
    expect(await bring(tenant)).toMatchObject({ imported: 4, present: 0, whole: true, left: [] });
    expect(await bring(tenant)).toMatchObject({ imported: 0, present: 4, whole: true, left: [] });
    expect(await bring(archive)).toMatchObject({ imported: 0, present: 3, whole: true });
  });

  it("S5-14 an archive that was changed is refused before anything of it is taken", async () => {
    const changed = join(dir, "changed.jsonl");
    writeFileSync(changed, readFileSync(archive, "utf8").replace("neun", "zehn"));
    const { code, stderr } = await run("import-archive", changed, "--tenant", "empty");
    expect([code, stderr]).toEqual([1, expect.stringContaining("cut off, or was changed")]);
    expect(stderr).not.toContain("zehn");
  });

  it("S5-14 the person reads what is kept of them in a document that shows text as text", async () => {
    const document = await said("export", "-", "--subject", "ana", "--readable");
    expect(document).toContain("# What is kept about you");
    expect(document).toContain("> Meine Fähre &lt;b>fährt&lt;/b> um neun. 船は九時に出ます");
    expect(document).toContain("2026-03-01 09:30:00 UTC");
    expect(document).toContain("## What this document leaves out");
    const whose = await run("export", "-", "--readable");
    expect([whose.code, whose.stderr]).toEqual([2, expect.stringContaining("--subject")]);
  });
});
