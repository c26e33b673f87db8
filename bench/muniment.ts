import { operationsOf } from "../src/compose/bound-operations.js";
import { refusedInEpisode } from "../src/domain/digest-rules.js";
import { must } from "../src/domain/errors.js";
import { trustedId } from "../src/domain/ids.js";
import type { Claims } from "../src/domain/principal.js";
import { sealSegments } from "../src/services/seal-segments.js";
import type { Case } from "./measure.js";
import type { OpenMuniment } from "./server.js";
import { type Speech, speechFrom, stageOutput } from "./text.js";

/** Every operation, with bodies of any shape. */
type Operations = ReturnType<typeof operationsOf>;

export const TURNS = 20;
export const SLOTS = 5;
/** What an agent's subject has said before, beside the turns of its session. */
export const HISTORY = 40;
export const HITS = 10;
/** Turns after which an agent gets a new subject, so that its memory stays of one size. */
const AGENT_TURNS_MAX = 10;
const STAGES_MAX = 100;
const IMPORT_ROWS = 500;
const ERASED_TURNS = 1_000;
const ROUTE = "bench";

const CLAIMS: Claims = {
  issuer: "bench",
  id: "app",
  kind: "service",
  roles: ["app"],
  tenant: "bank",
  workspace: "default",
};

const ROUTE_BODY = {
  memory_profile: {
    conversation: "session",
    working: "session",
    loop: "checkpoint",
    long_term: "retrieve_only",
    ttl_hours: 24,
    isolation: ["tenant", "user", "session"],
  },
  autonomy: 0,
  risk: "low",
  stages: [],
  tools: ["recall_turns"],
  recall_from: [],
  store_fields: ["language"],
  retrieval: {},
  tokens_max: 4_000,
};

const FIELD_BODY = {
  class: "preference",
  description: "Language of replies",
  value_schema: { type: "string", enum: ["en", "es"] },
  writers: ["user", "human_agent", "settings_form"],
  owner: "bench",
  scope: "customer",
  routes: "global",
  answers: { edited_by_human: true, wrong_value_repeats: true, writer_and_audit_named: true },
};

interface Run {
  readonly subject: string;
  readonly session: string;
  readonly id: string;
  /** Operations on it so far. */
  used: number;
}

/** Muniment as an application uses it: every call is identified, decided, sealed and audited. */
export class MunimentBench {
  readonly #app: Operations;
  readonly #opened: OpenMuniment;
  readonly #speech: Speech = speechFrom(7);
  readonly #trips: () => number;
  readonly #runs = new Map<string, Run>();
  #made = 0;

  constructor(opened: OpenMuniment, trips: () => number) {
    this.#opened = opened;
    this.#app = operationsOf(opened.parts.services, CLAIMS);
    this.#trips = trips;
  }

  async prepareRoute(): Promise<void> {
    const operator = { ...CLAIMS, id: "olga", kind: "human" as const, roles: ["operator"] };
    const as = operationsOf(this.#opened.parts.services, operator);
    await as.putField("language", FIELD_BODY);
    await as.putRoute(ROUTE, ROUTE_BODY);
  }

  /** A subject with that many turns of past sessions. */
  async addHistory(subject: string, turns: number): Promise<void> {
    for (let from = 0; from < turns; from += IMPORT_ROWS) {
      const rows = Array.from({ length: Math.min(IMPORT_ROWS, turns - from) }, (_, index) => ({
        session: `past-${Math.floor((from + index) / 100)}`,
        source_id: `turn-${from + index}`,
        role: index % 2 === 0 ? "user" : "assistant",
        speaker: index % 2 === 0 ? "Jane" : "Agent",
        text: this.#speech.turn(),
        observed_at: new Date(Date.UTC(2026, 0, 1) + (from + index) * 60_000).toISOString(),
      }));
      await this.#app.importTurns(subject, { route_id: ROUTE, rows });
    }
  }

  /** As the background would leave long histories. */
  async sealSegments(): Promise<void> {
    await sealSegments(this.#opened.parts.services);
  }

  /** As the server's own housekeeping would find them after a while: statistics known, no dead rows. */
  async settleTables(): Promise<void> {
    await this.#opened.owner.query("vacuum analyze");
    await this.#opened.owner.query("checkpoint");
  }

  cases(n: number): readonly Case[] {
    return [
      this.#appendTurn("append_turn", n, { role: "user", speaker: "Jane" }),
      // What the system says is conversation alone: no search terms are made of it.
      this.#appendTurn("append_turn_plain", n, { role: "system", speaker: "Jane" }),
      this.#completeStage(n),
      this.#resumeTurn(n),
      this.#promote(n),
      this.#assemble(n),
      this.#agentTurn("agent_turn", n, false),
      this.#agentTurn("agent_turn_recall", n, true),
    ];
  }

  /** A subject with that many closed sessions, each with its episode. */
  async addEpisodes(subject: string, episodes: number): Promise<void> {
    for (let index = 0; index < episodes; index += 1) {
      const run = await this.#start(subject, this.#unique());
      const text = this.#speakable();
      const { turn_ids } = await this.#app.appendTurns(run.id, {
        turns: [{ role: "user", text }],
      });
      await this.#app.appendEpisode(run.id, { open_questions: [{ text, turn_ids }] });
    }
  }

  /** Words of a turn that an episode may say. */
  #speakable(): string {
    for (;;) {
      const text = this.#speech.turn().slice(0, 300);
      if (refusedInEpisode(text) === null) return text;
    }
  }

  recallEpisodes(name: string, subject: string, n: number): Case {
    return this.#case(name, n, {
      before: async (worker) => {
        await this.#run(`episodes ${worker}`, () => this.#start(subject, this.#unique()));
      },
      run: (worker) =>
        this.#app.recallEpisodes(this.#known(`episodes ${worker}`).id, {
          query: this.#speech.question(),
          limit: HITS,
        }),
    });
  }

  recall(name: string, subject: string, n: number): Case {
    return this.#case(name, n, {
      before: async (worker) => {
        await this.#run(`recall ${subject} ${worker}`, () => this.#start(subject, this.#unique()));
      },
      run: (worker) =>
        this.#app.recallTurns(this.#known(`recall ${subject} ${worker}`).id, {
          query: this.#speech.question(),
          limit: HITS,
        }),
    });
  }

  /** The same without an index in memory. Each worker asks about a person of its own: two would share one filling. */
  recallCold(name: string, subjects: readonly string[], n: number): Case {
    const { indexes } = this.#opened.parts.services;
    const subjectOf = (worker: number) => must(subjects[worker], "a person of the worker's own");
    const keyOf = (worker: number) => `cold ${subjectOf(worker)}`;
    return this.#case(name, n, {
      before: async (worker) => {
        const start = () => this.#start(subjectOf(worker), this.#unique());
        const { id } = await this.#run(keyOf(worker), start);
        const { rows } = await this.#opened.owner.query<{ tenant: string; subject: string }>(
          "select tenant_id as tenant, subject_id as subject from muniment.run where run_id = $1",
          [id],
        );
        for (const { tenant, subject } of rows)
          indexes.drop(trustedId<"TenantId">(tenant), trustedId<"SubjectId">(subject));
      },
      run: (worker) =>
        this.#app.recallTurns(this.#known(keyOf(worker)).id, {
          query: this.#speech.question(),
          limit: HITS,
        }),
    });
  }

  /** Forgets somebody with a thousand turns: rows, key, ledger, and the search for what is left. */
  erase(name: string, n: number): Case {
    const person = { ...CLAIMS, id: "petra", kind: "human" as const, roles: ["privacy_officer"] };
    const privacy = operationsOf(this.#opened.parts.services, person);
    const subjects = new Map<number, string>();
    return this.#case(name, n, {
      before: async (worker) => {
        const subject = `erased-${this.#unique()}`;
        await this.addHistory(subject, ERASED_TURNS);
        subjects.set(worker, subject);
      },
      run: (worker) => privacy.eraseSubject(must(subjects.get(worker), "subject"), {}),
    });
  }

  #appendTurn(
    name: string,
    n: number,
    said: { readonly role: string; readonly speaker: string },
  ): Case {
    return this.#case(name, n, {
      before: async (worker) => {
        await this.#run(`${name} ${worker}`, () =>
          this.#start(`${name}-${worker}`, this.#unique()),
        );
      },
      run: (worker) =>
        this.#app.appendTurns(this.#known(`${name} ${worker}`).id, {
          turns: [{ ...said, text: this.#speech.turn() }],
        }),
    });
  }

  #completeStage(n: number): Case {
    const start = (worker: number) => () => this.#start(`stage-${worker}`, this.#unique());
    return this.#case("complete_stage", n, {
      before: async (worker) => {
        const run = await this.#run(`stage ${worker}`, start(worker), STAGES_MAX);
        run.used += 1;
      },
      run: (worker) => {
        const { id, used } = this.#known(`stage ${worker}`);
        return this.#app.completeStage(id, `stage-${used}`, {
          output: stageOutput(this.#speech, used),
          step: used,
        });
      },
    });
  }

  #resumeTurn(n: number): Case {
    return this.#case("resume_turn", n, {
      before: async (worker) => {
        const run = await this.#run(`resume ${worker}`, () => this.#startFull(`resume-${worker}`));
        await this.#app.failRun(run.id, { code: "tool_timeout" });
      },
      run: (worker) => {
        const { subject, session } = this.#known(`resume ${worker}`);
        return this.#app.takeTurn(subject, session, {});
      },
    });
  }

  /** A reviewer approves what they have seen: the value, its row of the log and the audit row. */
  #promote(n: number): Case {
    const { services } = this.#opened.parts;
    const settings = operationsOf(services, { ...CLAIMS, id: "form", roles: ["settings"] });
    const person = { ...CLAIMS, id: "rita", kind: "human" as const, roles: ["reviewer"] };
    const reviewer = operationsOf(services, person);
    const seen = new Map<number, { readonly candidate_id: string; readonly value_hash: string }>();
    let proposed = 0;
    return this.#case("promote", n, {
      before: async (worker) => {
        const start = () => this.#start(`promote-${worker}`, this.#unique());
        const { subject } = await this.#run(`promote ${worker}`, start);
        const value = proposed++ % 2 === 0 ? "en" : "es";
        const filed = await settings.proposeField(subject, { field_id: "language", value });
        await reviewer.listCandidates({});
        seen.set(worker, filed);
      },
      run: (worker) => {
        const { candidate_id, value_hash } = must(seen.get(worker), "candidate");
        return reviewer.promoteByHuman(candidate_id, { value_hash });
      },
    });
  }

  #assemble(n: number): Case {
    return this.#case("assemble", n, {
      before: async (worker) => {
        await this.#run(`assemble ${worker}`, () => this.#startFull(`assemble-${worker}`));
      },
      run: (worker) => this.#app.assemble(this.#known(`assemble ${worker}`).id, {}),
    });
  }

  /** Assembly, then one call with what was said, the stage's output and the loop's record. */
  #agentTurn(name: string, n: number, recalls: boolean): Case {
    const ask = () => (recalls ? { recall: { query: this.#speech.question(), limit: HITS } } : {});
    const start = async (): Promise<Run> => {
      const subject = `${name}-${this.#unique()}`;
      if (recalls) await this.addHistory(subject, HISTORY);
      const run = await this.#startFull(subject);
      // A cold index is measured by itself.
      await this.#app.assemble(run.id, ask());
      return run;
    };
    return this.#case(name, n, {
      before: async (worker) => {
        const run = await this.#run(`${name} ${worker}`, start, AGENT_TURNS_MAX);
        run.used += 1;
      },
      run: async (worker) => {
        const { id, used } = this.#known(`${name} ${worker}`);
        await this.#app.assemble(id, ask());
        await this.#app.completeStage(id, `turn-${used}`, {
          output: stageOutput(this.#speech, used),
          step: SLOTS + used,
          turns: [
            { role: "user", text: this.#speech.turn(), speaker: "Jane" },
            { role: "assistant", text: this.#speech.turn(), speaker: "Agent" },
          ],
        });
      },
    });
  }

  #case(name: string, n: number, parts: Pick<Case, "before" | "run">): Case {
    return { name, system: "muniment", n, trips: this.#trips, ...parts };
  }

  /** The run kept under a name, made on first use and anew after `usesMax` operations. */
  async #run(
    name: string,
    make: () => Promise<Run>,
    usesMax = Number.POSITIVE_INFINITY,
  ): Promise<Run> {
    const known = this.#runs.get(name);
    if (known !== undefined && known.used < usesMax) return known;
    const made = await make();
    this.#runs.set(name, made);
    return made;
  }

  #known(name: string): Run {
    const run = this.#runs.get(name);
    if (run === undefined) throw new Error(`no run was made for ${name}`);
    return run;
  }

  async #start(subject: string, session: string): Promise<Run> {
    const goal = "Explain the fee";
    const { run_id } = await this.#app.startRun(subject, session, { route_id: ROUTE, goal });
    return { subject, session, id: run_id, used: 0 };
  }

  /** A run whose session has 20 turns and which has 5 slots. */
  async #startFull(subject: string): Promise<Run> {
    const run = await this.#start(subject, this.#unique());
    const turns = Array.from({ length: TURNS }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      text: this.#speech.turn(),
      speaker: index % 2 === 0 ? "Jane" : "Agent",
    }));
    await this.#app.appendTurns(run.id, { turns });
    for (let step = 1; step <= SLOTS; step++) {
      const output = stageOutput(this.#speech, step);
      await this.#app.completeStage(run.id, `slot-${step}`, { output, step });
    }
    return run;
  }

  #unique(): string {
    this.#made += 1;
    return String(this.#made);
  }
}
