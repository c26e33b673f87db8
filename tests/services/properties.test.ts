import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { describeEachDatabase } from "../setup/databases.js";
import type { Operations } from "../support/muniment.js";
import { openTestMuniment, routeBody, type TestMuniment } from "../support/muniment.js";

const TTL_HOURS = 8;
const TENANTS = ["bank-au", "bank-nz"] as const;
/** Ids that a pattern, a prefix or a fold would take for one another. */
const SUBJECTS = ["john-doe", "john_doe", "john%", "JOHN-DOE"] as const;
const SESSIONS = ["a", "A"] as const;

interface Step {
  readonly tenant: (typeof TENANTS)[number];
  readonly subject: (typeof SUBJECTS)[number];
  readonly session: (typeof SESSIONS)[number];
  readonly what: "say" | "stage" | "import" | "look";
}

const step: fc.Arbitrary<Step> = fc.record({
  tenant: fc.constantFrom(...TENANTS),
  subject: fc.constantFrom(...SUBJECTS),
  session: fc.constantFrom(...SESSIONS),
  what: fc.constantFrom(
    "say" as const,
    "say" as const,
    "stage" as const,
    "import" as const,
    "look" as const,
  ),
});

/** Steps that happen at the same moment, each for another person, or hours that pass. */
const moment = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.uniqueArray(step, {
      minLength: 1,
      maxLength: 4,
      selector: (it) => `${it.tenant}/${it.subject}`,
    }),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 10 }) },
);

/** What one person's chat should show, by the simplest rules there are. */
class Model {
  readonly #said = new Map<string, { texts: string[]; at: number }>();
  readonly #evidence = new Map<string, string[]>();
  hours = 0;

  say({ tenant, subject, session }: Step, text: string): void {
    const chat = `${tenant}/${subject}/${session}`;
    const texts = [...this.shown({ tenant, subject, session }), text];
    this.#said.set(chat, { texts, at: this.hours });
    this.keep({ tenant, subject }, text);
  }

  keep({ tenant, subject }: Pick<Step, "tenant" | "subject">, text: string): void {
    const person = `${tenant}/${subject}`;
    this.#evidence.set(person, [...(this.#evidence.get(person) ?? []), text]);
  }

  shown({ tenant, subject, session }: Omit<Step, "what">): readonly string[] {
    const chat = this.#said.get(`${tenant}/${subject}/${session}`);
    return chat === undefined || this.hours - chat.at >= TTL_HOURS ? [] : chat.texts;
  }

  recallable({ tenant, subject }: Pick<Step, "tenant" | "subject">): readonly string[] {
    return this.#evidence.get(`${tenant}/${subject}`) ?? [];
  }
}

describeEachDatabase("properties", (database) => {
  let m: TestMuniment;
  let rounds = 0;
  let texts = 0;

  beforeAll(async () => {
    m = await openTestMuniment(database);
    for (const tenant of TENANTS)
      await m
        .operator(tenant)
        .putRoute("chat", routeBody({ tokens_max: 100_000, profile: { ttl_hours: TTL_HOURS } }));
  });

  /** As the application, or as the person: each must see the same. */
  function callers(
    { tenant, subject, session }: Step,
    person: (name: string) => string,
  ): readonly Operations[] {
    const bound = { id: subject, kind: "human", tenant, subject: person(subject) } as const;
    return [m.app(tenant), m.as(bound), m.as({ ...bound, session })];
  }

  async function check(
    at: Step,
    run: string,
    model: Model,
    callers: readonly Operations[],
  ): Promise<void> {
    const foreign = (shown: readonly string[], own: readonly string[]) =>
      shown.filter((text) => !own.includes(text));
    for (const as of callers) {
      const listed = (await as.listTurns(run, { limit: 200 })).turns
        .map((turn) => turn.text)
        .toReversed();
      expect(listed).toEqual(model.shown(at));
      const { hits } = await as.recallTurns(run, { query: "walrus", limit: 50 });
      expect(hits.map((hit) => hit.text).toSorted()).toEqual([...model.recallable(at)].toSorted());
    }
    const pack = await m.app(at.tenant).assemble(run, { recall: { query: "walrus", limit: 50 } });
    const packed = pack.items.filter((item) => item.kind === "turn").map((item) => item.text);
    expect(packed).toEqual(model.shown(at));
    expect(
      foreign(
        pack.items.flatMap((item) => (item.kind === "recalled" ? [item.text] : [])),
        model.recallable(at),
      ),
    ).toEqual([]);
  }

  async function take(at: Step, model: Model, person: (name: string) => string): Promise<void> {
    const app = m.app(at.tenant);
    const start = { route_id: "chat", goal: `walrus ${at.tenant} ${at.subject}` };
    const { run_id } = await app.startRun(person(at.subject), at.session, start);
    texts += 1;
    const text = `walrus ${texts} of ${at.tenant} ${at.subject} ${at.session}`;
    if (at.what === "say") {
      await app.appendTurns(run_id, { turns: [{ role: "user", text, speaker: at.subject }] });
      model.say(at, text);
    }
    if (at.what === "stage")
      await app.completeStage(run_id, "one", { output: text, notes: [text] });
    if (at.what === "import") {
      const row = {
        session: at.session,
        source_id: `${texts}`,
        text,
        observed_at: "2020-01-01T00:00:00Z",
      };
      await app.importTurns(person(at.subject), { route_id: "chat", rows: [row, row] });
      model.keep(at, text);
    }
    const own =
      at.what === "stage" ? { slots: { one: text }, notes: [text] } : { slots: {}, notes: [] };
    expect(await app.readRun(run_id)).toMatchObject({ ...own, goal: start.goal });
    await check(at, run_id, model, callers(at, person));
  }

  it("S1-05 S1-09 S1-10 S4-29 whoever does what and when, each chat shows its own turns, each person recalls their own, and nobody anything else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 2, maxLength: 6 }), async (moments) => {
        rounds += 1;
        const person = (name: string) => `${name} ${rounds}`;
        const model = new Model();
        for (const now of moments) {
          if (typeof now === "number") {
            model.hours += now;
            m.clock.forward({ hours: now });
          } else await Promise.all(now.map((at) => take(at, model, person)));
        }
      }),
      { numRuns: 12 },
    );
    expect(m.alarms).toEqual([]);
  }, 180_000);

  it("S2-05 whatever is in a run and whatever the cap, a pack stays below it, keeps failures, pairs and well-formed text", async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
      fc.constantFrom("</memory>", "🔥".repeat(30), "word ".repeat(60)),
    );
    const visible = text.filter((it) => /[\p{L}\p{N}\p{S}\p{P}]/u.test(it));
    const turn = fc.oneof(
      fc.record({ role: fc.constantFrom("user", "assistant", "system"), text: visible }),
      fc.record({
        role: fc.constantFrom("tool_call", "tool_result"),
        text: visible,
        tool: fc.constant("t"),
        call_id: fc.constantFrom("c1", "c2"),
      }),
    );
    const parts = fc.record({
      failures: fc.array(visible, { maxLength: 3 }),
      turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
      cap: fc.integer({ min: 40, max: 1_500 }),
    });
    await fc.assert(
      fc.asyncProperty(parts, async ({ failures, turns, cap }) => {
        rounds += 1;
        const app = m.app();
        const { run_id } = await app.startRun(`packs ${rounds}`, "s", {
          route_id: "chat",
          goal: "x",
        });
        await app.writeWorking(run_id, { failures, scratch: [{ ref: "s3://x" }] });
        await app.appendTurns(run_id, { turns });
        const pack = await app
          .assemble(run_id, { tokens_max: cap })
          .catch((error: { kind: string }) => {
            expect(error.kind).toBe("cap_too_small");
            return null;
          });
        if (pack === null) return;
        expect(m.services.countTokens(pack.text)).toBeLessThanOrEqual(cap);
        expect(pack.text.isWellFormed()).toBe(true);
        expect(pack.items.flatMap((item) => (item.kind === "failure" ? [item.text] : []))).toEqual(
          failures,
        );
        const open = new Set<string>();
        for (const message of pack.messages) {
          if ("tool_calls" in message) for (const call of message.tool_calls) open.add(call.id);
          else if (message.role === "tool") expect(open.delete(message.tool_call_id)).toBe(true);
        }
        expect([...open]).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
