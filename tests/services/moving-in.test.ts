import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { type FieldMap, parseFieldMap } from "../../src/cli/migrate/field-map.js";
import { migrateExport } from "../../src/cli/migrate/migrate-export.js";
import type { Origin } from "../../src/cli/migrate/read-export.js";
import { describeEachDatabase, temporaryDirectory } from "../setup/databases.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

const SECRET = "zq-walrus-sentinel";

const MAP = parseFieldMap(
  {
    fields: [
      { field_id: "language", from: "metadata.language", values: { German: "de", English: "en" } },
      { field_id: "language", from: "value.language" },
      { field_id: "tone", match: "be (calm|brisk)" },
      { field_id: "vip", from: "metadata.vip" },
    ],
  },
  "map.yaml",
);

/** Each holds one language of one person, in its system's own form, beside text that fits no field. */
const EXPORTS: readonly (readonly [Origin, string, unknown, string])[] = [
  [
    "mem0",
    "m.json",
    {
      results: [
        {
          id: "1",
          memory: `${SECRET} likes tea`,
          user_id: "mem0-ana",
          metadata: { language: "german" },
        },
        { id: "2", memory: `${SECRET} has a boat`, user_id: "mem0-ana", metadata: null },
      ],
    },
    "mem0-ana",
  ],
  [
    "langgraph",
    "l.json",
    [
      { namespace: ["users", "lg-ana"], key: "p", value: { language: "de", text: SECRET } },
      { namespace: ["users", "lg-ana"], key: "q", value: { text: SECRET } },
    ],
    "lg-ana",
  ],
  [
    "letta",
    "a.af",
    {
      agents: [],
      blocks: [
        { id: "block-0", label: "human", value: `${SECRET}. Please be calm.` },
        { id: "block-1", label: "persona", value: SECRET },
      ],
    },
    "letta-ana",
  ],
  [
    "jsonl",
    "r.jsonl",
    [
      { id: 1, subject: "plain-ana", text: SECRET, metadata: { language: "English" } },
      { id: 2, subject: "plain-ana", text: SECRET },
    ],
    "plain-ana",
  ],
];

describeEachDatabase("moving in", (database) => {
  let m: TestMuniment;
  let dir: string;

  beforeAll(async () => {
    dir = await temporaryDirectory();
    m = await openTestMuniment(database);
    const languages = { type: "string", enum: ["de", "en"] };
    await m.operator().putField("language", fieldBody({ value_schema: languages }));
    await m.operator().putField("tone", fieldBody());
    const flag = { class: "risk_flag", writers: ["billing"], criterion: undefined };
    const value_schema = { type: "boolean" };
    await m.operator().putField("vip", fieldBody({ ...flag, value_schema }));
    await m.operator().putRoute("chat", routeBody({ store_fields: ["language", "tone", "vip"] }));
  });

  function write(file: string, value: unknown): string {
    const at = join(dir, file);
    const lines = file.endsWith(".jsonl") ? (value as unknown[]) : [value];
    writeFileSync(at, lines.map((line) => JSON.stringify(line)).join("\n"));
    return at;
  }

  async function migrate(
    from: Origin,
    file: string,
    value: unknown,
    { subject = null, map = MAP }: { subject?: string | null; map?: FieldMap } = {},
  ) {
    const mover = m.as({ id: "cli", roles: ["operator"] });
    const result = await migrateExport({
      file: write(file, value),
      from,
      map,
      subject,
      propose: (whose, row) => mover.proposeField(whose, row),
      onProgress: () => {},
    });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    return result;
  }

  const waitingFor = async (subject: string) =>
    (await m.reviewer().listCandidates({ limit: 200 })).candidates.filter(
      (candidate) => candidate.subject === subject,
    );

  async function packOf(subject: string) {
    const goal = { route_id: "chat", goal: "Help" };
    const { run_id } = await m.app().startRun(subject, crypto.randomUUID(), goal);
    return await m.app().assemble(run_id, { recall: { query: `${SECRET} language calm de` } });
  }

  it.each(EXPORTS)(
    "S2-34 %s: what maps to a field waits for a person, the rest is counted, and no pack holds any of it",
    async (from, file, value, subject) => {
      const map = from === "langgraph" ? { ...MAP, subject: "namespace.1" } : MAP;
      const given = from === "letta" ? { map, subject } : { map };
      const result = await migrate(from, file, value, given);
      expect(result).toMatchObject({ from, unmapped: 1, candidates: 1, duplicates: 0, refused: 0 });
      expect(Object.values(result.memories)).toEqual([2]);
      expect(await waitingFor(subject)).toMatchObject([
        { state: "quarantined", origin: "import", run_id: null },
      ]);
      expect((await m.app().listFields(subject)).fields).toEqual([]);
      const pack = await packOf(subject);
      expect(pack.items.map(({ kind }) => kind)).toEqual(["goal"]);
    },
  );

  it("S2-34 sending a file again proposes nothing twice, not even what was decided on meanwhile", async () => {
    const rows = (ids: readonly string[]) =>
      ids.map((id, n) => ({
        id,
        memory: "x",
        user_id: "rita",
        metadata: { language: n === 0 ? "German" : "English" },
      }));
    expect(await migrate("mem0", "again.json", rows(["a"]))).toMatchObject({ candidates: 1 });
    const [first] = await waitingFor("rita");
    const seen = { value_hash: first?.value_hash ?? "" };
    await m.reviewer().rejectCandidate(first?.candidate_id ?? "", seen);
    const again = await migrate("mem0", "again.json", rows(["a", "b"]));
    expect(again).toMatchObject({ candidates: 1, duplicates: 1, refused: 0 });
    const [second] = await waitingFor("rita");
    expect(second).toMatchObject({ value: "en" });
    await m
      .reviewer()
      .promoteByHuman(second?.candidate_id ?? "", { value_hash: second?.value_hash ?? "" });
    expect(await migrate("mem0", "again.json", rows(["a", "b"]))).toMatchObject({
      candidates: 0,
      duplicates: 2,
    });
    expect(await waitingFor("rita")).toEqual([]);
    expect((await m.app().listFields("rita")).fields).toMatchObject([
      { field_id: "language", value: "en", source: "import", updated_by: "human:rita" },
    ]);
  });

  it("S5-08 S2-34 nothing that another system still has of somebody who was forgotten is proposed, and nobody is made for it", async () => {
    const rows = [{ id: "a", memory: "x", user_id: "olive", metadata: { language: "German" } }];
    expect(await migrate("mem0", "olive.json", rows)).toMatchObject({ candidates: 1 });
    await m.privacy().eraseSubject("olive", {});
    for (const name of ["olive.json", "olive-again.json"])
      expect(await migrate("mem0", name, rows)).toMatchObject({
        candidates: 0,
        refused: 0,
        skipped: 1,
        rows: [{ kind: "erased" }],
      });
    expect(await refusalOf(m.app().listFields("olive"))).toBe("not_found");
    // What somebody says of themselves, or an application of them, is new.
    await m.app().proposeField("olive", { field_id: "language", value: "en" });
    expect(await waitingFor("olive")).toMatchObject([{ value: "en" }]);
  });

  it("S2-34 the same value from many memories is one proposal", async () => {
    const rows = Array.from({ length: 5 }, (_, n) => ({
      id: `d${n}`,
      memory: "x",
      user_id: "dora",
      metadata: { language: "German" },
    }));
    expect(await migrate("mem0", "many.json", rows)).toMatchObject({
      candidates: 1,
      duplicates: 4,
    });
    expect(await waitingFor("dora")).toHaveLength(1);
  });

  it("S2-34 a value that the field doesn't take is refused with its place and reason, and stops no other", async () => {
    const row = (id: string, metadata: object, user_id = "otto") => ({
      id,
      memory: "x",
      user_id,
      metadata,
    });
    const result = await migrate("mem0", "odd.json", [
      row("1", { language: SECRET }),
      row("2", { vip: true }),
      row("3", { language: "German" }, undefined),
      { id: "4", memory: "no owner", metadata: { language: "German" } },
      SECRET,
      row("6", { language: "German" }),
    ]);
    expect(result).toMatchObject({ candidates: 1, refused: 4 });
    expect(result.rows.map(({ place, kind, field }) => [place, kind, field])).toEqual([
      ["memory 1, language", "invalid_input", "language"],
      ["memory 2, vip", "denied", null],
      ["memory 4, language", "invalid_input", "subject"],
      ["memory 5", "invalid_input", "memory"],
    ]);
  });

  it("S2-34 nothing of an export is kept in clear, and what no rule names isn't kept at all", async () => {
    const tables = ["candidate", "turn", "field_value", "working", "external_id", "audit"];
    for (const table of tables) {
      const rows = await m.db.query(`select t::text as row from muniment.${table} t`);
      expect(JSON.stringify(rows), table).not.toContain(SECRET);
    }
    const [turns] = await m.db.query("select count(*)::integer as n from muniment.turn");
    expect(turns).toEqual({ n: 0 });
  });
});
