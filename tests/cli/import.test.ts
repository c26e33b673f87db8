import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../setup/databases.js";
import { MunimentProcess, type Served } from "./muniment-process.js";

const SECRET = "sentinel-7d1f";
const TIME = "2026-03-01T09:30:00Z";

const jsonl = [
  {
    session: "s1",
    source_id: "a1",
    speaker: "Ana",
    text: "The ferry leaves at nine.",
    observed_at: TIME,
  },
  { session: "s1", text: "I keep my boat in Bergen.", speaker: "Ana", observed_at: TIME },
  { session: "s1", source_id: "a3", text: `${SECRET} without a time` },
  { session: "s2", source_id: "a4", text: SECRET, observed_at: TIME, user_id: "tom" },
  { session: "s2", source_id: "a5", role: "assistant", text: "Noted.", observed_at: TIME },
].map((row) => JSON.stringify(row));

const openai = {
  messages: [
    { role: "user", content: "Which pier has the ferry?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", function: { name: "timetable", arguments: '{"from":"Bergen"}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "pier four" },
    { role: "stranger", content: SECRET },
  ],
};

const locomo = [
  {
    sample_id: "conv-9",
    conversation: {
      session_1: [
        {
          dia_id: "D1:1",
          speaker: "Ben",
          text: "I adopted a grey parrot.",
          blip_caption: "a parrot",
        },
        { dia_id: "D1:2", speaker: "Ana" },
      ],
      session_1_date_time: "1:56 pm on 8 May, 2023",
    },
    qa: [],
  },
];

describe("import", () => {
  let muniment: MunimentProcess;
  let served: Served;
  let dir: string;

  const place = () => [
    "--tenant",
    "t",
    "--route",
    "chat",
    "--data-dir",
    join(dir, "data"),
    "--json",
  ];
  const importFile = async (file: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await muniment.run(
      "import",
      join(dir, file),
      ...place(),
      ...more,
    );
    expect(`${stdout}${stderr}`).not.toContain(SECRET);
    return { code, stderr, ...JSON.parse(stdout) };
  };

  beforeAll(async () => {
    dir = await temporaryDirectory();
    muniment = new MunimentProcess(dir);
    mkdirSync(join(dir, "data"));
    served = await muniment.serve(join(dir, "data"));
    await muniment.run(
      "route",
      "apply",
      "routes/chat.yaml",
      "--tenant",
      "t",
      "--data-dir",
      join(dir, "data"),
    );
    const broken = `{"session":"s1","text":"${SECRET}`;
    writeFileSync(join(dir, "chat.jsonl"), `${[...jsonl, broken, ""].join("\n")}\n`);
    writeFileSync(join(dir, "chat.json"), JSON.stringify(openai));
    writeFileSync(join(dir, "locomo.json"), JSON.stringify(locomo));
  });

  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
  });

  it("JSON Lines: bad rows are refused one by one, by place, kind and field", async () => {
    const result = await importFile("chat.jsonl", "--subject", "ana");
    expect(result).toMatchObject({ code: 0, imported: 3, duplicates: 0, refused: 3 });
    expect(result.rows).toMatchObject([
      { index: 2, place: "line 3", kind: "invalid_input", field: "observed_at" },
      { index: 3, place: "line 4", kind: "scope_in_input", field: "user_id" },
      { index: 5, place: "line 6", kind: "invalid_input", field: "line" },
    ]);
    expect(result.subjects).toEqual([{ subject: "ana", turns: 3 }]);
    expect(result.stderr).toBe("");
  });

  it("message arrays: calls and results are turns; a role that isn't one is refused", async () => {
    const result = await importFile("chat.json", "--subject", "ana");
    expect(result).toMatchObject({ code: 0, imported: 3, refused: 1 });
    expect(result.rows).toMatchObject([{ place: "message 4", field: "role" }]);
  });

  it("S4-22 events: a line that is refused doesn't stop the others, and a file sent again adds nothing", async () => {
    const event = (source_id: string, change: object = {}) =>
      JSON.stringify({
        subject: "ana",
        source: "ehr",
        source_id,
        source_revision: 1,
        kind: "report",
        key: "allergy",
        value: "latex",
        effective_at: TIME,
        ...change,
      });
    const lines = [event("a"), event("b", { value: [SECRET] }), "{", event("c", { subject: 5 })];
    const many = Array.from({ length: 120 }, (_, n) => event(`m${n}`));
    writeFileSync(join(dir, "events.jsonl"), `${[...lines, ...many].join("\n")}\n`);
    const at = ["--tenant", "t", "--data-dir", join(dir, "data"), "--json"];
    const importEvents = async () => {
      const { code, stdout } = await muniment.run(
        "import-events",
        join(dir, "events.jsonl"),
        ...at,
      );
      expect(stdout).not.toContain(SECRET);
      return { code, ...JSON.parse(stdout) };
    };
    expect(await importEvents()).toMatchObject({
      code: 0,
      recorded: 121,
      unchanged: 0,
      refused: 3,
      events: [
        { place: "line 2", field: "value" },
        { place: "line 3", field: "line" },
        { place: "line 4", field: "subject" },
      ],
    });
    expect(await importEvents()).toMatchObject({ code: 0, recorded: 0, unchanged: 121 });
  });

  it("S4-22 what was forgotten is skipped, by import and by import-events: that is no failure", async () => {
    const at = ["--tenant", "t", "--data-dir", join(dir, "data")];
    const row = {
      session: "s",
      source_id: "r1",
      text: "hello",
      observed_at: TIME,
      subject: "gone",
    };
    const event = { subject: "gone", source: "ehr", source_id: "e1", source_revision: 1 };
    const report = { kind: "report", key: "allergy", value: "latex", effective_at: TIME };
    writeFileSync(join(dir, "gone.jsonl"), `${JSON.stringify(row)}\n`);
    writeFileSync(join(dir, "gone-events.jsonl"), `${JSON.stringify({ ...event, ...report })}\n`);
    const send = async () => {
      const events = await muniment.run("import-events", join(dir, "gone-events.jsonl"), ...at);
      const rows = [join(dir, "gone.jsonl"), "--route", "chat"];
      const turns = await muniment.run("import", ...rows, ...at);
      return [events, turns].map(({ code, stdout }) => [code, stdout.split("\n")[0]]);
    };
    await send();
    expect((await muniment.run("erase", "gone", ...at)).code).toBe(0);
    expect(await send()).toEqual([
      [0, "0 recorded, 0 there already, 1 skipped, 0 refused"],
      [0, "0 imported, 0 there already, 1 skipped, 0 refused"],
    ]);
  });

  it("LoCoMo: the sample is the subject", async () => {
    const result = await importFile("locomo.json");
    expect(result).toMatchObject({ code: 0, imported: 1, refused: 1 });
    expect(result.rows).toMatchObject([{ place: "conv-9 session_1 turn 2", field: "text" }]);
  });

  it.each([
    ["chat.jsonl", 3, ["--subject", "ana"]],
    ["chat.json", 3, ["--subject", "ana"]],
    ["locomo.json", 1, []],
  ])("%s sent again adds nothing", async (file, duplicates, more) => {
    expect(await importFile(file, ...more)).toMatchObject({ imported: 0, duplicates });
  });

  it("recall and assemble answer over what was imported, for its subject alone", async () => {
    const ask = (command: string, subject: string, query: string) =>
      muniment.run(command, "--subject", subject, "--query", query, ...place());
    const ferry = JSON.parse((await ask("recall", "ana", "When does the ferry leave?")).stdout);
    expect(ferry.hits[0]).toMatchObject({
      text: "The ferry leaves at nine.",
      speaker: "Ana",
      observed_at: "2026-03-01T09:30:00.000Z",
    });
    const parrot = JSON.parse((await ask("recall", "conv-9", "grey parrot")).stdout);
    expect(parrot.hits[0]).toMatchObject({
      text: "I adopted a grey parrot. [shared image: a parrot]",
      speaker: "Ben",
      observed_at: "2023-05-08T13:56:00.000Z",
    });
    expect((await ask("recall", "ana", "grey parrot")).stdout).not.toContain("adopted");
    const pack = JSON.parse((await ask("assemble", "ana", "ferry")).stdout);
    expect(pack.text).toContain("The ferry leaves at nine.");
    const place2 = ["--tenant", "t", "--data-dir", join(dir, "data"), "--json"];
    const why = JSON.parse((await muniment.run("explain", pack.pack_id, ...place2)).stdout);
    expect(why.entries.filter((entry: { in: boolean }) => entry.in)).toHaveLength(
      pack.items.length,
    );
    expect(JSON.stringify(why)).not.toContain("ferry");
  });

  it("a row that would sink its whole request is found and refused alone", async () => {
    const row = (n: number) =>
      JSON.stringify({ session: "s3", source_id: `n${n}`, text: `Number ${n}`, observed_at: TIME });
    const poison = `{"session":"s3","text":"${SECRET}","observed_at":"${TIME}","__proto__":{"a":1}}`;
    const lines = [row(1), row(2), poison, row(4), row(5)];
    writeFileSync(join(dir, "poison.jsonl"), lines.join("\n"));
    const result = await importFile("poison.jsonl", "--subject", "eve");
    expect(result).toMatchObject({ imported: 4, refused: 1 });
    expect(result.rows).toMatchObject([{ place: "line 3" }]);
  });

  it("more rows than a batch, of several subjects, come in whole", async () => {
    const lines = Array.from({ length: 450 }, (_, n) =>
      JSON.stringify({
        subject: n % 3 === 0 ? "left" : "right",
        session: "long",
        text: `Line ${n}`,
        observed_at: TIME,
      }),
    );
    writeFileSync(join(dir, "long.jsonl"), lines.join("\n"));
    expect(await importFile("long.jsonl")).toMatchObject({ imported: 450, refused: 0, rows: [] });
    const whose = ["--tenant", "t", "--route", "chat"];
    const at = ["--data-dir", join(dir, "data")];
    const again = await muniment.run("import", join(dir, "long.jsonl"), ...whose, ...at);
    expect(again.stdout.split("\n").slice(0, 3)).toEqual([
      "0 imported, 450 there already, 0 skipped, 0 refused",
      "  right: 300 turns",
      "  left: 150 turns",
    ]);
    expect(again.stderr).toContain(
      "muniment recall --route chat --subject right --tenant t --data-dir",
    );
    const whom = ["--subject", "nobody", "--query", "line"];
    const nobody = await muniment.run("recall", ...whose, ...whom, ...at);
    expect([nobody.code, nobody.stderr]).toEqual([
      1,
      expect.stringContaining("nothing is kept for subject nobody of tenant t"),
    ]);
    // Who was looked for hasn't come into being by that.
    const file = join(dir, "nobody.jsonl");
    const tenant = ["--tenant", "t", "--subject", "nobody"];
    expect(await muniment.run("export", file, ...tenant, ...at)).toMatchObject({ code: 1 });
  });

  it("a row whose subject nobody names, or names otherwise, isn't guessed", async () => {
    const row = (subject?: string) =>
      JSON.stringify({ subject, session: "s", text: "a", observed_at: TIME });
    writeFileSync(join(dir, "whose.jsonl"), `${row()}\n${row("tom")}\n`);
    const unnamed = await importFile("whose.jsonl");
    expect(unnamed).toMatchObject({ imported: 1, refused: 1 });
    expect(unnamed.rows).toMatchObject([{ place: "line 1", field: "subject" }]);
    const other = await importFile("whose.jsonl", "--subject", "ana");
    expect(other.rows).toMatchObject([{ place: "line 2", field: "subject" }]);
  });

  it("a route that isn't there and a file that isn't one are refused, with what to do", async () => {
    const data = ["--tenant", "t", "--data-dir", join(dir, "data")];
    const noRoute = await muniment.run(
      "import",
      join(dir, "locomo.json"),
      "--route",
      "nope",
      ...data,
    );
    expect(noRoute.code).toBe(1);
    expect(noRoute.stderr).toContain("tenant t has no route nope");
    expect(noRoute.stderr).toContain("muniment route apply");
    const noFile = await muniment.run("import", join(dir, "nope.json"), "--route", "chat", ...data);
    expect(noFile.code).toBe(1);
    writeFileSync(join(dir, "bad.json"), `{"messages": [${SECRET}`);
    const noJson = await muniment.run("import", join(dir, "bad.json"), "--route", "chat", ...data);
    expect(noJson.code).toBe(1);
    expect(noJson.stderr).not.toContain(SECRET);
  });
});
