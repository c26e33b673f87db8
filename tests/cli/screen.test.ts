import { writeFileSync } from "node:fs";
import { join } from "node:path";
import stringWidth from "string-width";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { runCli } from "../../src/cli/run-cli.js";
import { type RunningService, startService } from "../../src/compose/serve.js";
import { temporaryDirectory } from "../setup/databases.js";

const COLUMNS = 80;
const SUBJECT = "jane.citizen@customers.bank.example";
const SESSION = "chat-2026-03-01-渡し船は九時に出ます";
const NO_ID = "0199f0a2-7c11-7b3e-9d52-3c5f8f9f0a11";

/** Commands that stay up or tell their story for a minute: `demo.test.ts` looks at what they print. */
const ELSEWHERE = ["serve", "demo"];

const CHATS = [
  ["user", "I prefer a call in the morning, and I am allergic to penicillin. 👩‍⚕️"],
  ["assistant", "渡し船は九時に出ます。朝の電話は困ります。".repeat(12)],
  ["user", `From now on I prefer a call in the evening: ${"really ".repeat(40)}so.`],
] as const;

const EVENT = {
  source: "ehr",
  source_revision: 1,
  kind: "report",
  key: "allergy",
  value: { name: "penicillin", reaction: "rash" },
  effective_at: "2026-02-01T08:00:00+01:00",
};

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

describe("what people see", () => {
  let service: RunningService;
  let dir: string;
  const { columns } = process.stdout;

  beforeAll(async () => {
    process.stdout.columns = COLUMNS;
    dir = await temporaryDirectory();
    vi.stubEnv("MUNIMENT_MASTER_KEY_FILE", join(dir, "master.key"));
    service = await startService(
      { dataDir: join(dir, "data"), port: 0 },
      { logLevelDefault: "silent", announce: true },
    );
    file("field.json", { field_id: "language", ...FIELD });
    file("map.json", { fields: [{ field_id: "language", from: "language" }] });
    file("memories.jsonl", { id: "1", subject: SUBJECT, text: "speaks German", language: "de" });
    file("wrong.jsonl", { id: "2", subject: SUBJECT, text: "speaks", language: "klingon" });
    file("events.jsonl", { ...EVENT, source_id: "allergy-17" });
    file("no-events.jsonl", { ...EVENT, source_id: "allergy-18", effective_at: "soon" });
    file("chats.jsonl", ...CHATS.map(said));
    file("no-chats.jsonl", { session: "s", role: "usr", text: "hello" });
    file("leaver.jsonl", said(CHATS[0], 0));
  });

  let isUp = true;
  async function stop() {
    if (isUp) await service.stop();
    isUp = false;
  }

  afterAll(async () => {
    process.stdout.columns = columns;
    vi.unstubAllEnvs();
    await stop();
  });

  const said = ([role, text]: (typeof CHATS)[number], at: number) => ({
    session: SESSION,
    source_id: `${SESSION}:${at}`,
    role,
    text,
    observed_at: `2026-03-01T09:3${at}:00Z`,
  });

  function file(name: string, ...rows: readonly object[]): void {
    writeFileSync(join(dir, name), rows.map((row) => JSON.stringify(row)).join("\n"));
  }

  async function run(command: string, args: readonly string[], ...more: readonly string[]) {
    const seen: string[] = [];
    const see = (text: string) => void seen.push(...text.split("\n"));
    const place = [
      ...(takes(command, "--tenant") ? ["--tenant", "t"] : []),
      ...(takes(command, "--data-dir") ? ["--data-dir", join(dir, "data")] : []),
    ];
    const code = await runCli([...command.split(" "), ...args, ...more, ...place], {
      out: see,
      err: see,
    });
    return { code, seen };
  }

  /** What a command answers machines. */
  async function reply(command: string, args: readonly string[]) {
    const { seen } = await run(command, args, "--json");
    return JSON.parse(seen.join(""));
  }

  /** Each command, in an order in which there is something to see. Those marked so are refused, and are seen too. */
  async function* commands(): AsyncGenerator<readonly [string, readonly string[]]> {
    const at = (name: string) => join(dir, name);
    const asked = ["--subject", SUBJECT, "--route", "chat"];
    yield ["route apply", ["routes/chat.yaml"]];
    yield ["route list", []];
    yield ["field apply", [at("field.json"), "--reason", "to try it"]];
    yield ["field list", []];
    yield ["dimension apply", [at("missing.json")]];
    yield ["dimension list", []];
    yield ["dimension test", [at("missing.json")]];
    yield ["import", [at("chats.jsonl"), ...asked]];
    yield ["import", [at("no-chats.jsonl"), ...asked]];
    yield ["import", [at("leaver.jsonl"), "--subject", "leaver", "--route", "chat"]];
    yield ["import-events", [at("events.jsonl"), "--subject", SUBJECT]];
    yield ["import-events", [at("no-events.jsonl"), "--subject", SUBJECT]];
    for (const name of ["memories.jsonl", "wrong.jsonl"])
      yield ["migrate", [at(name), "--from", "jsonl", "--map", at("map.json")]];
    yield ["candidate list", []];
    const { candidate_id, value_hash } = await reply("candidate list", []);
    const decided = [candidate_id.slice(-12), "--hash", value_hash, "--as", "kim"];
    yield ["candidate approve", decided];
    yield ["candidate reject", decided];
    yield ["field values", ["--subject", SUBJECT]];
    yield ["field log", [SUBJECT]];
    const { promotion_id } = await reply("field log", [SUBJECT]);
    for (const _ of ["stands", "taken back"])
      yield ["field revert", [SUBJECT, promotion_id.slice(-12), "--as", "kim"]];
    yield ["view", [SUBJECT, "user_model"]];
    yield ["observe", [SUBJECT]];
    yield ["observe", [SUBJECT, "--imported"]];
    for (const view of ["user_model", "fold", "clinical_state", "mood"])
      yield ["view", [SUBJECT, view]];
    yield ["freshness", [SUBJECT]];
    yield ["jobs list", []];
    const { work } = await reply("jobs list", []);
    yield ["jobs retry", [work[0].work_id.slice(-12)]];
    yield ["recall", [...asked, "--query", "a call in the morning", "--scope", "both", "--why"]];
    yield ["recall", [...asked, "--query", "渡し船"]];
    yield ["run start", ["--session", SESSION, ...asked, "--goal", "say hello ".repeat(20)]];
    const { run_id } = await reply("run start", ["--session", "s", ...asked, "--goal", "hello"]);
    yield ["run read", [run_id]];
    const pack = await reply("assemble", [...asked, "--query", "call"]);
    yield ["explain", [pack.pack_id]];
    yield ["diagnose", [pack.pack_id]];
    yield ["diagnose", [pack.pack_id, "--line", "2"]];
    yield ["hold place", [SUBJECT, "--covers", "session", "--target", SESSION]];
    yield ["hold list", []];
    const { holds } = await reply("hold list", []);
    yield ["hold release", [holds[0].hold_id.slice(-12)]];
    yield ["find", ["penicillin", "--raw"]];
    yield ["key rotate", [SUBJECT]];
    yield ["export", [at("archive.jsonl"), "--subject", SUBJECT]];
    yield ["import-archive", [at("archive.jsonl")]];
    yield ["erase scope", [SUBJECT, "source", `${SESSION}:0`]];
    const receipt = await reply("erase subject", ["leaver"]);
    file("receipt.json", receipt);
    yield ["erase subject", ["leaver"]];
    yield ["erase status", [receipt.erasure_id]];
    yield ["erase verify", [at("receipt.json")]];
    yield ["import-archive", [at("chats.jsonl")]];
    yield ["dev-token", []];
    yield ["doctor", []];
    await stop();
    yield ["doctor", []];
    yield ["upgrade", []];
    for (const command of ["backup", "restore"]) yield [command, [at("backup")]];
    file("head.json", await reply("custody head", []));
    yield ["custody head", []];
    yield ["custody verify", [at("head.json")]];
    for (const command of ["backup", "restore"]) yield [`custody ${command}`, [at("custody")]];
    yield ["custody rotate-master", []];
    // The text of a pack isn't made for people: it comes as it is.
    yield ["assemble", ["--run", NO_ID]];
  }

  it("fits their terminal, says times in one form and ids by their ends, whatever the command", async () => {
    const walked = new Set<string>();
    for await (const [command, args] of commands()) {
      walked.add(command);
      const { seen } = await run(command, args);
      const what = [command, ...args].join(" ");
      expect(
        seen.filter((line) => stringWidth(line) > COLUMNS && / /.test(line.trim())),
        what,
      ).toEqual([]);
      expect(
        seen.filter((line) => /T\d\d:\d\d:\d\d\.\d/.test(line)),
        what,
      ).toEqual([]);
      expect(
        seen.filter((line) => /\d-[0-9a-f]{4}-[0-9a-f]{1,11}\b(?!-)/.test(line)),
        what,
      ).toEqual([]);
      expect(
        seen.filter((line) => /undefined|\[object|\b1 (?:sessions|rows|turns)\b/.test(line)),
        what,
      ).toEqual([]);
    }
    const missing = leaves().filter((leaf) => !walked.has(leaf) && !ELSEWHERE.includes(leaf));
    expect(missing).toEqual([]);
  }, 120_000);
});

const io = { out: () => undefined, err: () => undefined, verbatim: () => undefined };

/** Each command that does something, such as `route apply`. */
function leaves(): readonly string[] {
  return createProgram(io).commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((sub) => `${command.name()} ${sub.name()}`),
  );
}

function takes(command: string, option: string): boolean {
  const [name, subName] = command.split(" ");
  const found = createProgram(io).commands.find((one) => one.name() === name);
  const leaf = found?.commands.find((one) => one.name() === subName) ?? found;
  return leaf?.options.some(({ long }) => long === option) ?? false;
}
