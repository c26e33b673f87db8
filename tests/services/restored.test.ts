import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { filesOf } from "../../src/compose/stored-files.js";
import { describeEachDatabase, temporaryDirectory } from "../setup/databases.js";
import { linesOf } from "../support/archived-person.js";
import { backUp, startAnew } from "../support/database-backup.js";
import {
  fieldBody,
  openTestMuniment,
  refusalOf,
  routeBody,
  type TestMuniment,
} from "../support/muniment.js";

describeEachDatabase("what a restore brings back", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putField("pref_word", fieldBody());
    await m.operator().putRoute("chat", routeBody({ store_fields: ["pref_word"] }));
  });

  async function talk(subject: string) {
    const { run_id: run } = await m
      .app()
      .startRun(subject, "main", { route_id: "chat", goal: "talk" });
    const turns = [{ role: "user" as const, text: `I am ${subject}` }];
    await m.app().appendTurns(run, { turns });
    m.clock.forward({ seconds: 1 });
  }
  const isKnown = (subject: string) =>
    linesOf(m.privacy().exportSubject(subject)).then(
      () => true,
      () => false,
    );

  it("S5-09 a person who was erased under another internal id than the backup's is erased again; who came anew stays", async () => {
    await talk("tom");
    const early = await backUp(m);
    await talk("jane");
    const late = await backUp(m);
    await early();
    await startAnew(m);
    await talk("jane");
    await m.privacy().eraseSubject("jane", {});
    m.clock.forward({ seconds: 1 });
    await talk("tim");
    await m.privacy().eraseSubject("tim", {});
    await late();
    await startAnew(m);
    expect(await isKnown("jane")).toBe(false);
    expect(await isKnown("tom")).toBe(true);
    m.clock.forward({ seconds: 1 });
    await talk("jane");
    await startAnew(m);
    expect(await isKnown("jane")).toBe(true);
  });

  it("S5-09 who came anew stays, though a slow clock says that they came before their erasure, and the ledger is followed late", async () => {
    await talk("ann");
    const [before] = await m.db.query<{ seq: number; mac: string }>(
      "select seq, mac from muniment.ledger_head",
    );
    m.clock.forward({ hours: 1 });
    await m.privacy().eraseSubject("ann", {});
    m.clock.forward({ seconds: -2 });
    await talk("ann");
    // As where erasures side by side leave the head behind.
    await m.db.query("update muniment.ledger_head set seq = $1, mac = $2", [
      before?.seq,
      before?.mac,
    ]);
    await startAnew(m);
    expect(await isKnown("ann")).toBe(true);
  });

  it("S5-09 each start looks again while something of the erased is left, and says where", async () => {
    await talk("kim");
    const restore = await backUp(m);
    const { erasure_id: id } = await m.privacy().eraseSubject("kim", {});
    const [row] = await m.db.query<{ subject_id: string }>(
      "select subject_id from muniment.erasure where erasure_id = $1",
      [id],
    );
    await restore();
    const dir = await temporaryDirectory();
    const file = join(dir, "kim.jsonl");
    await writeFile(file, JSON.stringify({ subject_id: row?.subject_id }));
    for (const _ of ["first", "second"])
      await expect(startAnew(m, filesOf(dir))).rejects.toThrow("is left in files.other");
    await rm(file);
    await startAnew(m, filesOf(dir));
    expect(await m.privacy().readErasure(id)).toMatchObject({ state: "closed" });
  });

  it("S5-09 a request whose reply was erased is refused when it is repeated after the restore too", async () => {
    const asked = { route_id: "chat", goal: "talk" };
    const begin = () => m.app("bank-au", "key-start").startRun("amy", "main", asked);
    await talk("ben");
    const restore = await backUp(m);
    await begin();
    const say = () =>
      m
        .app("bank-au", "key-say")
        .takeTurn("ben", "main", { turns: [{ role: "user", text: "mine" }] });
    const said = await say();
    await m.privacy().eraseSubject("amy", {});
    const [turn = ""] = said.turn_ids;
    await m.privacy().eraseScope("ben", "turn", { target: turn });
    await restore();
    await startAnew(m);
    expect(await refusalOf(begin())).toBe("erased");
    expect(await refusalOf(say())).toBe("erased");
  });

  it("S5-08 what is set anew after its erasure is no trace of it", async () => {
    await talk("lea");
    const set = (value: string) => m.reviewer().setPreference("lea", "pref_word", { value });
    await set("quokka");
    m.clock.forward({ seconds: 1 });
    const { erasure_id: id } = await m
      .privacy()
      .eraseScope("lea", "field", { target: "pref_word" });
    m.clock.forward({ seconds: 1 });
    await set("wombat");
    expect(await m.privacy().verifyErasure(id, {})).toMatchObject({ ok: true });
  });
});
