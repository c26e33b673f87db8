import { beforeAll, expect, it } from "vitest";
import { operationsOf } from "../../src/compose/bound-operations.js";
import { must } from "../../src/domain/errors.js";
import type { KeyId, SessionId, SubjectId, TenantId, TurnId } from "../../src/domain/ids.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { Claims } from "../../src/domain/principal.js";
import { OPERATIONS } from "../../src/http/operations.js";
import { createEndpointEmbedder } from "../../src/models/endpoint-embedder.js";
import type { DevClaims } from "../../src/policy/dev-issuer.js";
import { embedTurns } from "../../src/services/embed-turns.js";
import { sealSegments } from "../../src/services/seal-segments.js";
import type { Services } from "../../src/services/services.js";
import { termsPlace } from "../../src/services/turn-writing.js";
import { openTestServer, type TestServer } from "../http/server.js";
import { describeEachDatabase } from "../setup/databases.js";
import { openEmbeddingEndpoint } from "../support/embedding-endpoint.js";
import { refusalOf, routeBody, type TestMuniment } from "../support/muniment.js";
import { keepObservation } from "../support/observed.js";

/** Whose memories are alike but for one word. Jane of bank-au, in the default workspace and by the route `chat`, asks. */
const OWNERS = {
  jane: { tenant: "bank-au", workspace: "default", subject: "jane", route: "chat" },
  tom: { tenant: "bank-au", workspace: "default", subject: "tom", route: "chat" },
  jane_elsewhere: { tenant: "bank-nz", workspace: "default", subject: "jane", route: "chat" },
  jane_at_work: { tenant: "bank-au", workspace: "other", subject: "jane", route: "chat" },
  jane_on_payments: { tenant: "bank-au", workspace: "default", subject: "jane", route: "payments" },
} as const;
type Owner = keyof typeof OWNERS;

/** Doors that search, with what each is asked. */
const DOORS: readonly (readonly [action: string, body: (query: string) => object])[] = [
  ["recall_turns", (query) => ({ query })],
  ["recall_turns", (query) => ({ query, mode: "phrase" })],
  ["recall_observations", (query) => ({ query, scope: "both" })],
  ["recall_episodes", (query) => ({ query })],
  ["assemble", (query) => ({ recall: { query } })],
];

/** Who isn't a party of Jane's run: what differs from the application that serves her. */
const STRANGERS: readonly Partial<DevClaims>[] = [
  { id: "tom", kind: "human", roles: [], subject: "tom" },
  { id: "jane", kind: "human", roles: [], subject: "jane", session: "another" },
  { subject: "tom" },
  { workspace: "other" },
  { tenant: "bank-nz" },
  { roles: [] },
];

const QUESTIONS = ["what is the code of my kitten", "any feline?", "what did I say?"];
/** Enough for the newest not to be all that there is. */
const FILLERS = LIMITS.newestTurnsMax;
const WITH_FILLERS: readonly string[] = ["jane", "tom"];

describeEachDatabase("look-alikes", (database) => {
  let server: TestServer;
  let m: TestMuniment;
  let services: Services;
  const runs = new Map<Owner, string>();

  beforeAll(async () => {
    const { url } = await openEmbeddingEndpoint();
    const embedder = createEndpointEmbedder({ url, model: "small" });
    server = await openTestServer(database, {
      limits: { requestsPerMinute: 1_000_000 },
      servicesOf: (opened) => ({ ...opened.services, embedder }),
    });
    m = server.m;
    services = { ...m.services, embedder };
    for (const tenant of ["bank-au", "bank-nz"]) {
      const operator = as({ tenant, id: "olga", kind: "human", roles: ["operator"] });
      for (const route of ["chat", "payments"]) await operator.putRoute(route, routeBody());
    }
    for (const owner of Object.keys(OWNERS) as Owner[]) {
      const { tenant, workspace, subject, route } = OWNERS[owner];
      const app = as({ tenant, workspace });
      const rows = Array.from({ length: WITH_FILLERS.includes(owner) ? FILLERS : 0 }, (_, n) => ({
        session: `past of ${owner}`,
        source_id: `${owner} ${n}`,
        text: `Rain in the harbour again ${n}`,
        observed_at: "2026-01-01T00:00:00Z",
      }));
      for (let from = 0; from < rows.length; from += LIMITS.importRowsMax)
        await app.importTurns(subject, {
          route_id: route,
          rows: rows.slice(from, from + LIMITS.importRowsMax),
        });
      const { run_id } = await app.startRun(subject, `now of ${owner}`, {
        route_id: route,
        goal: "x",
      });
      runs.set(owner, run_id);
      await say(owner, "first");
    }
  });

  function as(claims: Partial<Claims>) {
    const nobody = { issuer: "test", id: "app", kind: "service", roles: ["app"] } as const;
    const scope = { tenant: "bank-au", workspace: "default" };
    return operationsOf(services, { ...nobody, ...scope, ...claims });
  }

  const runOf = (owner: Owner) => runs.get(owner) ?? "";
  const secretOf = (owner: Owner, which: string) => `secret-${which}-${owner}`;

  async function say(owner: Owner, which: string) {
    const { tenant, workspace } = OWNERS[owner];
    const text = `The code of my kitten is ${secretOf(owner, which)}`;
    const turns = [{ role: "user", text }];
    const { turn_ids } = await as({ tenant, workspace }).appendTurns(runOf(owner), { turns });
    const from = turn_ids.map((turnId) => ({ turnId, said: text, quote: text }));
    await keepObservation(m, { run: runOf(owner), text: `Observed: ${text}`, from });
  }

  const forget = () => services.indexes.close();

  const subjects = () =>
    m.db.query<{ tenant: TenantId; subject: SubjectId; key: KeyId }>(
      "select tenant_id as tenant, subject_id as subject, key_id as key from muniment.subject",
    );

  /** As an older version of the analyser would have left the turns' terms. */
  async function makeTermsOld() {
    for (const { tenant, subject, key } of await subjects()) {
      const keys = await services.keyring.subjectKey(tenant, subject, key);
      const said = await m.db.query<{ turn: TurnId; session: SessionId }>(
        "select turn_id as turn, session_id as session from muniment.turn where subject_id = $1 and source_id is null",
        [subject],
      );
      for (const { turn, session } of said) {
        const old = keys?.sealTerms(
          termsPlace(turn, session),
          JSON.stringify({ v: 0, n: 1, t: [] }),
        );
        await m.db.query("update muniment.turn set terms_sealed = $2 where turn_id = $1", [
          turn,
          old,
        ]);
      }
    }
  }

  /** Swaps what is sealed for the two of a tenant. */
  const swapSegments = () =>
    m.db.query(`update muniment.segment g set sealed = o.sealed from muniment.segment o
      where o.tenant_id = g.tenant_id and o.subject_id <> g.subject_id`);

  interface Mode {
    readonly mode: string;
    readonly prepare: () => Promise<unknown>;
    /** Which of the turns that were said are found by now. */
    readonly finds: string;
  }

  // In the order in which they come: each finds what the ones before it have left.
  const MODES: readonly Mode[] = [
    { mode: "by words, cold", prepare: async () => forget(), finds: "first" },
    {
      mode: "by words, cold, all at once",
      prepare: async () => {
        forget();
        const askers = [...runs.keys(), ...runs.keys(), ...runs.keys()];
        await Promise.all(askers.map(askOwner));
      },
      finds: "first",
    },
    { mode: "by words, warm", prepare: async () => undefined, finds: "first" },
    {
      mode: "by words, caught up with what was said since",
      prepare: () => sayAll("second"),
      finds: "second",
    },
    {
      mode: "from sealed segments",
      prepare: () => sealSegments(services).then(forget),
      finds: "first",
    },
    { mode: "by meaning, warm", prepare: () => embedTurns(services), finds: "first" },
    { mode: "by meaning, cold", prepare: async () => forget(), finds: "second" },
    {
      mode: "while the index is made anew",
      prepare: () => makeTermsOld().then(forget),
      finds: "first",
    },
    {
      mode: "from segments that were swapped",
      prepare: () => swapSegments().then(forget),
      finds: "first",
    },
  ];

  /** All that an owner is shown; fails where another one's secret is in it. */
  async function askOwner(owner: Owner): Promise<string> {
    const { tenant, workspace } = OWNERS[owner];
    const app = as({ tenant, workspace });
    const recall = { query: "code of my kitten", limit: 10 };
    const shown: unknown[] = [await app.assemble(runOf(owner), { recall })];
    for (const query of QUESTIONS)
      for (const mode of ["ranked", "phrase"]) {
        const asked = { query, mode, limit: 10 };
        shown.push(await app.recallTurns(runOf(owner), asked));
        shown.push(await app.recallObservations(runOf(owner), { ...asked, scope: "both" }));
      }
    const text = JSON.stringify(shown);
    for (const other of runs.keys())
      if (other !== owner) expect(text).not.toMatch(new RegExp(`secret-\\w+-${other}\\b`));
    return text;
  }

  /** Through the door, as the door table does it: whose run it isn't hears what one hears of a run that isn't there. */
  async function knock(): Promise<void> {
    for (const [action, bodyOf] of DOORS) {
      const { path } = must(
        OPERATIONS.find((one) => one.action === action),
        action,
      );
      const body = bodyOf("code of my kitten");
      const ask = async (run: string, as: Partial<DevClaims>) => {
        const reply = await server.ask("POST", path.replace(":run", run), { as, body });
        return [reply.statusCode, reply.body.replace(String(reply.headers["x-request-id"]), "")];
      };
      const missing = await ask(crypto.randomUUID(), {});
      expect(missing[0]).toBe(404);
      for (const stranger of STRANGERS) expect(await ask(runOf("jane"), stranger)).toEqual(missing);
      const own = await ask(runOf("jane"), {});
      expect(own[0]).toBe(200);
      for (const other of runs.keys())
        if (other !== "jane") expect(own[1]).not.toMatch(new RegExp(`secret-\\w+-${other}\\b`));
    }
  }

  async function sayAll(which: string) {
    for (const owner of runs.keys()) await say(owner, which);
  }

  it.each(MODES)(
    "S5-03 S5-02 S5-14 near-identical memories stay apart, and no door shows a stranger any: $mode",
    async ({ prepare, finds }) => {
      await prepare();
      for (const owner of runs.keys()) {
        expect(await askOwner(owner)).toContain(secretOf(owner, finds));
        const { tenant, workspace } = OWNERS[owner];
        const app = as({ tenant, workspace });
        const recall = { query: "code of my kitten", limit: 10 };
        for (const scope of ["tenant", "subject", "workspace", "user_id"])
          expect(
            await refusalOf(app.recallTurns(runOf(owner), { ...recall, [scope]: "tom" })),
          ).toBe("scope_in_input");
      }
      await knock();
    },
  );

  it("S5-03 the swapped segments were noticed", () => {
    expect(new Set(m.alarms.map(({ table }) => table))).toEqual(new Set(["segment"]));
  });
});
