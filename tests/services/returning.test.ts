import { beforeAll, expect, it } from "vitest";
import { ERASURE_REASONS, type ErasureReason } from "../../src/domain/erasure.js";
import { describeEachDatabase } from "../setup/databases.js";
import { linesOf } from "../support/archived-person.js";
import { openTestMuniment, refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";

/** The table of docs/concepts/forgetting.md, tried: what becomes of each when its source was forgotten. */
const RETURNS: Readonly<
  Record<
    ErasureReason,
    {
      readonly same: string;
      readonly later: string;
      readonly sameText: string;
      /** Of an archive's line; null where a session can't be forgotten so. */
      readonly session: string | null;
    }
  >
> = {
  erase: { same: "skipped", later: "imported", sameText: "skipped", session: "skipped" },
  correct: { same: "skipped", later: "skipped", sameText: "skipped", session: null },
  retract: { same: "skipped", later: "skipped", sameText: "imported", session: "skipped" },
  expire: { same: "imported", later: "duplicate", sameText: "imported", session: "imported" },
  policy: { same: "imported", later: "duplicate", sameText: "imported", session: "imported" },
};

describeEachDatabase("what may come again", (database) => {
  let m: TestMuniment;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    await m.operator().putRoute("chat", routeBody());
  });

  it.each(ERASURE_REASONS)(
    "S5-10 S2-28 after %s each cell of the page's table is so",
    async (reason) => {
      const subject = `person-${reason}`;
      const bring = async (source_id: string, text: string, observed_at: string) => {
        const rows = [{ session: "old", source_id, text, observed_at }];
        return (await m.app().importTurns(subject, { route_id: "chat", rows })).rows[0]?.status;
      };
      const [before, after] = ["2026-02-01T09:00:00Z", "2026-03-02T09:00:00Z"];
      const said = { role: "user" as const, text: "the walrus", source_id: "live" };
      const { run_id: run } = await m
        .app()
        .startRun(subject, "chat", { route_id: "chat", goal: "x" });
      const say = () => m.app("bank-au", `key of ${subject}`).appendTurns(run, { turns: [said] });
      await say();
      await bring("m1", "the quokka", before);
      const lines = await linesOf(m.privacy().exportSubject(subject));
      const text = reason === "correct" ? { text: "the wombat" } : {};
      const forget = (target: string) =>
        m.privacy().eraseScope(subject, "source", { target, reason, ...text });
      await forget("m1");
      m.clock.forward({ seconds: 1 });
      const expected = RETURNS[reason];
      expect(await refusalOf(say())).toBe("erased");
      const anew = { turns: [{ role: "user" as const, text: "the quokka" }] };
      expect((await m.app().appendTurns(run, anew)).turn_ids).toHaveLength(1);
      expect(await bring("m1", "the quokka", before)).toBe(expected.same);
      expect(await bring("m2", "the quokka", before)).toBe(expected.sameText);
      expect(await bring("m1", "the quokka", after)).toBe(expected.later);
      if (expected.session === null) return;
      await m.privacy().eraseScope(subject, "session", { target: "chat", reason });
      m.clock.forward({ seconds: 1 });
      const session = lines.filter((line) => line.kind === "session" && line.session === "chat");
      const from = lines.find(({ kind }) => kind === "subject") ?? {};
      const { lines: replies } = await m.privacy().importSubject(subject, {
        subject: from,
        lines: session,
      });
      expect(replies[0]?.status).toBe(expected.session);
    },
  );
});
