import { beforeAll, expect, it } from "vitest";
import { checkArchive } from "../../src/services/archive/archive-reader.js";
import { idsFor } from "../../src/services/archive/make-row.js";
import { identify } from "../../src/services/caller.js";
import { importArchive } from "../../src/services/import-archive.js";
import { findSubject } from "../../src/services/subjects.js";
import { describeEachDatabase } from "../setup/databases.js";
import {
  type Line,
  linesOf,
  plantPerson,
  prepareTenant,
  renamed,
  SAID,
} from "../support/archived-person.js";
import { openTestMuniment, refusalOf, type TestMuniment } from "../support/muniment.js";

describeEachDatabase("archives", (database) => {
  let m: TestMuniment;
  let jane: readonly Line[];

  const officer = (tenant = "bank-au") =>
    m.as({ id: "pia", kind: "human", roles: ["privacy_officer"], tenant });
  const bodyOf = (lines: readonly Line[], [from, to]: [number, number?] = [0]) => ({
    subject: lines.find(({ kind }) => kind === "subject") ?? {},
    lines: memory(lines).slice(from, to),
  });
  const memory = (lines: readonly Line[]) =>
    lines.filter(({ kind }) => !["manifest", "subject", "trailer"].includes(kind));

  /** Ids as the person of another tenant has them. */
  async function idsIn(tenant: string, person: string, from: string) {
    const claims = {
      issuer: "t",
      id: "t",
      kind: "service",
      roles: [],
      tenant,
      workspace: "default",
    } as const;
    const { principal } = await identify(m.services, claims, {
      requestId: "",
      idempotencyKey: null,
    });
    const subject = await findSubject(m.services, principal, person);
    if (subject === null) throw new Error("nobody");
    return { subject, idOf: idsFor(subject, from) };
  }

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of ["bank-au", "bank-nz"]) await prepareTenant(m, tenant);
    await plantPerson(m, "jane");
    jane = await linesOf(officer().exportSubject("jane"));
  });

  it("S5-14 an archive begins with what it holds and leaves out, has something of each kind, and ends with its counts", () => {
    const [manifest] = jane;
    const trailer = jane.at(-1);
    expect(manifest).toMatchObject({
      kind: "manifest",
      version: 1,
      of: "subject",
      tenant: "bank-au",
    });
    const kinds = String(manifest?.kinds).split(",").toSorted();
    expect([...new Set(jane.slice(1, -1).map(({ kind }) => kind))].toSorted()).toEqual(kinds);
    expect(Object.keys(trailer?.counts as object).toSorted()).toEqual(kinds);
    expect(trailer?.unreadable).toEqual({});
    expect(JSON.stringify(jane)).toContain(SAID);
  });

  it("S5-14 a person who comes to another tenant is the same field by field: times, clocks, versions, sources and scripts", async () => {
    const half = Math.ceil(memory(jane).length / 2);
    const first = await officer("bank-nz").importSubject("jane", bodyOf(jane, [0, half]));
    expect(first).toMatchObject({ imported: half, present: 0, skipped: 0, refused: 0 });
    // Killed here, and begun again.
    const again = await officer("bank-nz").importSubject("jane", bodyOf(jane));
    expect(again).toMatchObject({ present: half, skipped: 0, refused: 0 });
    expect(again.imported).toBe(memory(jane).length - half);

    const there = await linesOf(officer("bank-nz").exportSubject("jane"));
    const { subject_id } = bodyOf(jane).subject as unknown as { subject_id: string };
    const { subject, idOf } = await idsIn("bank-nz", "jane", subject_id);
    const expected = renamed(jane.slice(1, -1), (id) =>
      id === subject_id ? subject.subject : idOf(id),
    );
    expect(renamed(there.slice(1, -1), (id) => id)).toEqual(expected);
    expect(m.alarms).toEqual([]);
  });

  it("S5-14 what came in works: the run goes on, its turns are recalled, its field is read", async () => {
    const app = m.app("bank-nz");
    const turn = await app.takeTurn("jane", "main", {});
    expect(turn).toMatchObject({ route_id: "chat" });
    const { hits } = await app.recallTurns(turn.run_id, { query: "late fee dollars" });
    expect(hits[0]?.text).toContain(SAID);
    const { fields } = await app.listFields("jane");
    expect(fields).toContainEqual(
      expect.objectContaining({ field_id: "pref_language", value: "fr" }),
    );
    await app.appendTurns(turn.run_id, { turns: [{ role: "user", text: "a new walrus" }] });
    expect(m.alarms).toEqual([]);
  });

  it("S5-14 an archive of this very person adds nothing, and names no row anew", async () => {
    const again = await officer().importSubject("jane", bodyOf(jane));
    expect(again).toMatchObject({ imported: 0, present: memory(jane).length, refused: 0 });
  });

  const statusOf = async (line: object, tenant = "bank-nz", subject = bodyOf(jane).subject) => {
    const { lines } = await officer(tenant).importSubject("jane", { subject, lines: [line] });
    const [reply] = lines;
    return reply?.refusal ?? reply?.reason ?? reply?.status;
  };
  const one = (kind: string) => memory(jane).find((line) => line.kind === kind) ?? { kind };

  it("S1-04 nothing of a line says whose it becomes, and what it relies on must be the same here", async () => {
    const other = crypto.randomUUID();
    const turn = one("turn");
    expect(await statusOf({ ...turn, subject_id: other })).toMatchObject({
      kind: "invalid_input",
      field: "subject_id",
    });
    for (const key of ["tenant_id", "user_id", "workspace_id"])
      expect(await statusOf({ ...turn, [key]: other })).toMatchObject({
        kind: "scope_in_input",
        field: key,
      });
    expect(await statusOf({ ...turn, kind: "audit" })).toMatchObject({ field: "kind" });
    expect(await statusOf({ ...turn, turn_id: other, seq: 900, run_id: other })).toBe(
      "parent_missing",
    );
    expect(await statusOf({ ...one("run"), definition_sha256: "0".repeat(64) })).toBe(
      "definition_differs",
    );
    expect(await statusOf({ ...one("run"), route_version: 7 })).toBe("definition_differs");
    const token = "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N";
    expect(await statusOf({ ...turn, content: { text: token } })).toMatchObject({
      kind: "credential_in_text",
    });
    const elsewhere = officer("bank-nz").importSubject("tom", bodyOf(jane));
    expect(await refusalOf(elsewhere)).toBe("invalid_input");
    expect(m.alarms).toEqual([]);
  });

  it("S2-22 no value stands without the decision that wrote exactly it", async () => {
    const value = one("field_value");
    for (const change of [{ value: "en" }, { version: 9 }, { promotion_id: crypto.randomUUID() }])
      for (const tenant of ["bank-au", "bank-nz"])
        expect(await statusOf({ ...value, version: 9, ...change }, tenant)).toBe("parent_missing");
    expect(await statusOf({ ...value, value: "a sentence" })).toMatchObject({ field: "value" });
  });

  it("S5-10 a line whose clock has run out doesn't come in again, and one beside another chat of that name doesn't either", async () => {
    const late = {
      ...one("turn"),
      turn_id: crypto.randomUUID(),
      seq: 901,
      source: null,
      epoch: 99,
    };
    expect(await statusOf({ ...late, evidence_until: "2026-02-01T00:00:00Z" })).toBe("expired");
    expect(await statusOf({ ...one("session"), session_id: crypto.randomUUID() })).toBe(
      "exists_other",
    );
    expect(await statusOf({ ...late, seq: one("turn").seq })).toBe("exists_other");
  });

  it("S5-14 who answers for privacy exports and imports; a person has their own; nobody else, and no credential of less", async () => {
    const take = (as: ReturnType<typeof officer>, who = "jane") =>
      refusalOf(linesOf(as.exportSubject(who)));
    const own = await linesOf(m.customer("jane").exportSubject("jane"));
    expect(own.at(-1)).toMatchObject({ kind: "trailer", unreadable: {} });
    expect(await take(m.customer("jane", "main"))).toBe("denied");
    expect(await take(m.customer("tom"))).toBe("not_found");
    expect(await take(m.app())).toBe("denied");
    expect(await take(m.operator())).toBe("denied");
    expect(await take(officer(), "nobody")).toBe("not_found");
    const bound = m.as({ id: "pia", kind: "human", roles: ["privacy_officer"], subject: "jane" });
    expect(await refusalOf(bound.importSubject("jane", bodyOf(jane)))).toBe("denied");
    expect(await refusalOf(m.app().importSubject("jane", bodyOf(jane)))).toBe("denied");
    const { rows } = await m.operator().readAudit({ limit: 200 });
    const exported = rows.filter((row) => Object.values(row).includes("export_subject"));
    expect(exported).toContainEqual(
      expect.objectContaining({
        pep_verdict: "allow",
        memory_reads: expect.arrayContaining([{ kind: "turn", ids: [], count: 7 }]),
      }),
    );
    expect(JSON.stringify(exported)).not.toContain("refund");
  });

  async function* textOf(lines: readonly object[]) {
    for (const line of lines) yield JSON.stringify(line);
  }

  it("S5-08 S5-10 what was erased doesn't come back by an archive; what was said since does", async () => {
    const [app, who] = [m.app("bank-nz"), "erika"];
    await officer("bank-nz").importSubject(who, {
      subject: { ...bodyOf(jane).subject, subject: who },
      // A hold would forbid what comes next.
      lines: memory(jane).filter(({ kind }) => kind !== "hold"),
    });
    const old = await linesOf(officer("bank-nz").exportSubject(who));
    m.clock.forward({ seconds: 1 });
    await officer("bank-nz").eraseSubject(who, { reason: "erase", basis: "data_subject_request" });
    m.clock.forward({ seconds: 1 });
    const again = await officer("bank-nz").importSubject(who, bodyOf(old));
    expect(again).toMatchObject({ imported: 0, present: 0, skipped: memory(old).length });
    expect(new Set(again.lines.map(({ reason }) => reason))).toEqual(new Set(["erased"]));
    expect(await refusalOf(linesOf(officer("bank-nz").exportSubject(who)))).toBe("not_found");
    // The person comes back by themselves, and takes their new memory along, but nothing of the old one.
    const { run_id } = await app.startRun(who, "new", { route_id: "chat", goal: "Again" });
    await app.appendTurns(run_id, { turns: [{ role: "user", text: "a fresh start" }] });
    const fresh = await linesOf(officer("bank-nz").exportSubject(who));
    const { subject } = bodyOf(fresh);
    const { subject_id } = subject as Line;
    const mixed = [...memory(old).map((line) => ({ ...line, subject_id })), ...memory(fresh)];
    const reply = await officer("bank-nz").importSubject(who, { subject, lines: mixed });
    expect(reply).toMatchObject({ skipped: memory(old).length, present: memory(fresh).length });
  });

  it("S5-14 a tenant comes to another one with its routes, fields and people; again, it adds nothing", async () => {
    const lines = await linesOf(officer().exportTenant());
    expect(lines[0]).toMatchObject({ of: "tenant", ledger: { seq: 1 } });
    const taker = m.as({
      id: "pia",
      kind: "human",
      roles: ["privacy_officer", "operator"],
      tenant: "bank-fj",
    });
    const result = await importArchive(taker, textOf(lines));
    expect(result).toMatchObject({ present: 0, skipped: 0, refused: 0, whole: true, left: [] });
    const held = lines.filter(({ kind }) => !["manifest", "subject", "trailer"].includes(kind));
    expect(result.imported).toBe(held.length);
    const again = await importArchive(taker, officer().exportTenant());
    expect(again).toMatchObject({ imported: 0, present: held.length, whole: true, left: [] });
    const there = await linesOf(officer("bank-fj").exportTenant());
    expect(there.at(-1)?.counts).toEqual(lines.at(-1)?.counts);
  });

  it("S1-02 who may not write a route brings none in by an archive, and a version that says something else stays", async () => {
    const routes = (await linesOf(officer().exportTenant())).filter(({ kind }) => kind === "route");
    const { lines } = await officer("bank-vu").importTenant({ lines: routes });
    expect(lines[0]).toMatchObject({ status: "refused", refusal: { kind: "denied" } });
    const [route = { kind: "route" }] = routes;
    const definition = { ...(route.definition as object), tokens_max: 7 };
    const other = await m.as({ id: "pia", roles: ["privacy_officer", "operator"] }).importTenant({
      lines: [
        { ...route, definition },
        { ...route, version: 9 },
      ],
    });
    expect(other.lines.map(({ reason }) => reason)).toEqual(["exists_other", "parent_missing"]);
  });

  it("S5-08 tombstones travel: they come in under the ledger that they were made for, and under no other", async () => {
    const tombstones = (await linesOf(officer("bank-nz").exportTenant())).filter(
      ({ kind }) => kind === "tombstone",
    );
    expect(tombstones.map((it) => it.of)).toContain("subject");
    await m.db.query("delete from muniment.tombstone");
    const home = await officer("bank-nz").importTenant({ lines: tombstones });
    expect(home).toMatchObject({ imported: tombstones.length, skipped: 0 });
    const away = await officer("bank-au").importTenant({ lines: tombstones });
    expect(new Set(away.lines.map(({ reason }) => reason))).toEqual(new Set(["other_ledger"]));
  });

  it("S5-14 an archive that was cut off or changed is found out before anything of it is taken", async () => {
    const whole = async (lines: readonly object[]) => refusalOf(checkArchive(textOf(lines)));
    await checkArchive(textOf(jane));
    expect(await whole(jane.slice(0, -1))).toBe("invalid_input");
    expect(await whole([...jane.slice(0, 3), ...jane.slice(4)])).toBe("invalid_input");
    expect(await whole([{ ...jane[0], version: 2 }, ...jane.slice(1)])).toBe("invalid_input");
    expect(await whole([])).toBe("invalid_input");
  });

  it("S5-08 S5-10 what was forgotten of somebody who stayed doesn't come back either, nor what was made of it", async () => {
    const who = "paula";
    await plantPerson(m, who);
    const old = await linesOf(officer().exportSubject(who));
    m.clock.forward({ seconds: 1 });
    await officer().eraseScope(who, "session", {
      target: "old",
      reason: "erase",
      basis: "data_subject_request",
    });
    const left = await linesOf(officer().exportSubject(who));
    const gone = memory(old).filter((line) => !memory(left).some((it) => same(it, line)));
    expect(new Set(gone.map(({ kind }) => kind))).toEqual(
      new Set([
        "session",
        "run",
        "working",
        "checkpoint",
        "turn",
        "episode",
        "observation",
        "trace",
      ]),
    );
    const again = await officer().importSubject(who, bodyOf(old));
    expect(again).toMatchObject({ imported: 0, refused: 0, skipped: gone.length });
    expect(renamed(await linesOf(officer().exportSubject(who)), (id) => id).length).toBe(
      left.length,
    );
    const mapped = await m.db.query(
      "select 1 from muniment.external_id where kind = 'session' and internal_id = $1",
      [gone.find(({ kind }) => kind === "session")?.session_id],
    );
    expect(mapped).toEqual([]);
  });

  it("S5-08 S5-10 what claims a time ahead of ours doesn't come back by an archive either: it was written down before", async () => {
    const ahead = (hours: number) =>
      new Date(m.clock.now().getTime() + hours * 3_600_000).toISOString();
    const turn = (hours: number) => ({
      turns: [{ role: "user" as const, text: "Tomorrow's word", observed_at: ahead(hours) }],
    });
    for (const scope of ["turn", "subject"]) {
      const who = `ahead-${scope}`;
      const { run_id } = await m.app().startRun(who, "main", { route_id: "chat", goal: "x" });
      const { turn_ids } = await m.app().appendTurns(run_id, turn(20));
      const old = await linesOf(officer().exportSubject(who));
      m.clock.forward({ seconds: 1 });
      if (scope === "turn") await officer().eraseScope(who, "turn", { target: turn_ids[0] ?? "" });
      else await officer().eraseSubject(who, {});
      expect((await officer().importSubject(who, bodyOf(old))).imported).toBe(0);
      const left = linesOf(officer().exportSubject(who));
      if (scope === "subject") expect(await refusalOf(left)).toBe("not_found");
      else expect(JSON.stringify(await left)).not.toContain("Tomorrow's word");
    }
  });

  it("S4-23 S5-10 a forgotten record, and a forgotten text under another turn's id, don't come back by an archive", async () => {
    const who = "petra";
    await plantPerson(m, who);
    const old = memory(await linesOf(officer().exportSubject(who)));
    const subject = (await linesOf(officer().exportSubject(who))).find(
      ({ kind }) => kind === "subject",
    );
    const [event, turn] = ["event", "turn"].map((kind) => old.find((line) => line.kind === kind));
    const text = "Nothing of the kind.";
    m.clock.forward({ seconds: 1 });
    const forget = officer().eraseScope;
    await forget(who, "source", { target: String(event?.source) });
    await forget(who, "turn", { target: String(turn?.turn_id), reason: "correct", text });
    const anew = { event_id: crypto.randomUUID(), source_revision: 9 };
    const lines = [
      { ...event },
      { ...event, ...anew },
      { ...turn, turn_id: crypto.randomUUID(), seq: 99, source: null },
    ];
    const reply = await officer().importSubject(who, { subject: subject ?? {}, lines });
    expect(reply.lines.map(({ status, reason }) => [status, reason])).toEqual(
      lines.map(() => ["skipped", "erased"]),
    );
    const left = JSON.stringify(memory(await linesOf(officer().exportSubject(who))));
    expect(left).not.toContain(JSON.stringify(event?.key));
    expect(left).not.toContain("Will one be refunded?");
  });

  it("S5-08 what was forgotten of somebody doesn't come in by their archive under another's name either", async () => {
    const who = "rosa";
    const { run_id } = await m.app().startRun(who, "chat", { route_id: "chat", goal: "x" });
    const turns = ["a secret plan", "a good day"].map((text) => ({ role: "user" as const, text }));
    const { turn_ids } = await m.app().appendTurns(run_id, { turns });
    await m.app().closeSession(who, "chat", {});
    await m.jobs.run();
    const old = await linesOf(officer().exportSubject(who));
    const under = (name: string, lines: readonly Line[] = memory(old)) =>
      officer().importSubject(name, { subject: { ...bodyOf(old).subject, subject: name }, lines });
    const saidBy = async (name: string) =>
      memory(await linesOf(officer().exportSubject(name))).flatMap(({ kind, content }) =>
        kind === "turn" ? [(content as { text: string }).text] : [],
      );
    m.clock.forward({ seconds: 1 });
    const target = turn_ids[0] ?? "";
    await officer().eraseScope(who, "turn", { target });
    const anew = old
      .filter(({ turn_id }) => turn_id === target)
      .map((line) => ({ ...line, turn_id: crypto.randomUUID() }));
    const part = await under("rosa-2", [...memory(old), ...anew]);
    expect(part.skipped).toBeGreaterThan(1);
    expect(await saidBy("rosa-2")).toEqual(["a good day"]);
    // The same words of somebody else are theirs.
    const rows = [
      { session: "s", source_id: "1", text: "a secret plan", observed_at: "2026-01-01T09:00:00Z" },
    ];
    const imported = await m.app().importTurns("rosa-4", { route_id: "chat", rows });
    expect(imported.rows[0]?.status).toBe("imported");
    m.clock.forward({ seconds: 1 });
    await officer().eraseSubject(who, {});
    const whole = await under("rosa-3");
    expect(whole).toMatchObject({ imported: 0, skipped: memory(old).length });
    expect(await refusalOf(linesOf(officer().exportSubject("rosa-3")))).toBe("not_found");
  });

  const same = (a: Line, b: Line) => JSON.stringify(a) === JSON.stringify(b);
});
