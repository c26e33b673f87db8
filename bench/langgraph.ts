import { type Checkpoint, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import pg from "pg";
import type { Case } from "./measure.js";
import { HISTORY, HITS, SLOTS, TURNS } from "./muniment.js";
import type { Server } from "./server.js";
import { type Speech, speechFrom, stageOutput } from "./text.js";

const AGENT_TURNS_MAX = 10;
const STAGES_MAX = 100;

interface Thread {
  readonly id: string;
  checkpoint: Checkpoint;
  used: number;
}

interface Message {
  readonly role: string;
  readonly speaker: string;
  readonly text: string;
}

/** Counts what its pools send: each query waits for its answer, so it is a round trip. */
class Trips {
  count = 0;

  get clientType(): typeof pg.Client {
    const counted = () => {
      this.count += 1;
    };
    return class extends pg.Client {
      // biome-ignore lint/suspicious/noExplicitAny: the overloads of `query` are pg's own
      override query(...parameters: any[]): any {
        counted();
        return super.query(...(parameters as Parameters<pg.Client["query"]>));
      }
    } as typeof pg.Client;
  }
}

/** LangGraph's saver and store on the same server, with the same payloads. They seal, decide and audit nothing. */
export class LangGraphBench {
  readonly #saver: PostgresSaver;
  readonly #store: PostgresStore;
  readonly #trips: Trips;
  readonly #speech: Speech = speechFrom(7);
  readonly #threads = new Map<string, Thread>();
  #made = 0;

  private constructor(saver: PostgresSaver, store: PostgresStore, trips: Trips) {
    this.#saver = saver;
    this.#store = store;
    this.#trips = trips;
  }

  static async open(server: Server, poolMax: number): Promise<LangGraphBench> {
    const trips = new Trips();
    const connectionString = await server.createDatabase("langgraph");
    const config = { connectionString, max: poolMax, Client: trips.clientType };
    const saver = new PostgresSaver(new pg.Pool(config));
    const store = new PostgresStore({ connectionOptions: config });
    server.onStop(() => saver.end());
    server.onStop(() => store.stop());
    await saver.setup();
    await store.setup();
    return new LangGraphBench(saver, store, trips);
  }

  async addHistory(namespace: string, turns: number): Promise<void> {
    const operations = Array.from({ length: turns }, (_, index) => ({
      namespace: [namespace],
      key: `turn-${index}`,
      value: { ...this.#message(index), observed_at: "2026-01-01T00:00:00Z" },
    }));
    await this.#store.batch(operations);
  }

  cases(n: number): readonly Case[] {
    return [this.#appendTurn(n), this.#completeStage(n), this.#resumeTurn(n), this.#agentTurn(n)];
  }

  recall(name: string, namespace: string, n: number): Case {
    return this.#case(name, n, {
      run: () => this.#store.search([namespace], { query: this.#speech.question(), limit: HITS }),
    });
  }

  #appendTurn(n: number): Case {
    return this.#case("append_turn", n, {
      run: (worker) =>
        this.#store.put([`append-${worker}`], this.#unique(), {
          ...this.#message(0),
          observed_at: new Date().toISOString(),
        }),
    });
  }

  #completeStage(n: number): Case {
    return this.#case("complete_stage", n, {
      before: async (worker) => {
        const thread = await this.#thread(`stage ${worker}`, () => this.#start(), STAGES_MAX);
        thread.used += 1;
      },
      run: (worker) => this.#putStage(this.#known(`stage ${worker}`), []),
    });
  }

  #resumeTurn(n: number): Case {
    return this.#case("resume_turn", n, {
      before: async (worker) => {
        await this.#thread(`resume ${worker}`, () => this.#start());
      },
      run: (worker) => this.#saver.getTuple(configOf(this.#known(`resume ${worker}`))),
    });
  }

  #agentTurn(n: number): Case {
    const start = async (): Promise<Thread> => {
      const thread = await this.#start();
      await this.addHistory(`memory-${thread.id}`, HISTORY + TURNS);
      await this.#store.put([`memory-${thread.id}`], "profile", { language: "en", tone: "plain" });
      return thread;
    };
    return this.#case("agent_turn", n, {
      before: async (worker) => {
        const thread = await this.#thread(`agent ${worker}`, start, AGENT_TURNS_MAX);
        thread.used += 1;
      },
      run: async (worker) => {
        const thread = this.#known(`agent ${worker}`);
        const memory = [`memory-${thread.id}`];
        const tuple = await this.#saver.getTuple(configOf(thread));
        if (tuple === undefined) throw new Error("the thread has no checkpoint");
        await this.#store.search(memory, { query: this.#speech.question(), limit: HITS });
        await this.#store.get(memory, "profile");
        thread.checkpoint = tuple.checkpoint;
        await this.#putStage(thread, [this.#message(0), this.#message(1)]);
      },
    });
  }

  /** One step of a graph: a checkpoint with its changed channels, then the writes of its task. */
  async #putStage(thread: Thread, said: readonly Message[]): Promise<void> {
    const { checkpoint: last, used } = thread;
    const output = stageOutput(this.#speech, used);
    const { messages, slots } = last.channel_values as {
      messages: readonly Message[];
      slots: Readonly<Record<string, unknown>>;
    };
    const version = used + 1;
    const changed = {
      slots: version,
      stage: version,
      ...(said.length > 0 ? { messages: version } : {}),
    };
    const checkpoint: Checkpoint = {
      ...last,
      id: uuid6(used),
      ts: new Date().toISOString(),
      channel_values: {
        messages: [...messages, ...said],
        slots: { ...slots, [`stage-${used}`]: output },
        stage: output,
      },
      channel_versions: { ...last.channel_versions, ...changed },
    };
    const metadata = { source: "loop" as const, step: used, parents: {} };
    const next = await this.#saver.put(configOf(thread, last.id), checkpoint, metadata, changed);
    await this.#saver.putWrites(
      next,
      [
        ["stage", output],
        ["messages", said],
      ],
      this.#unique(),
    );
    thread.checkpoint = checkpoint;
  }

  #case(name: string, n: number, parts: Pick<Case, "before" | "run">): Case {
    return { name, system: "langgraph", n, trips: () => this.#trips.count, ...parts };
  }

  async #thread(
    name: string,
    make: () => Promise<Thread>,
    usesMax = Number.POSITIVE_INFINITY,
  ): Promise<Thread> {
    const known = this.#threads.get(name);
    if (known !== undefined && known.used < usesMax) return known;
    const made = await make();
    this.#threads.set(name, made);
    return made;
  }

  #known(name: string): Thread {
    const thread = this.#threads.get(name);
    if (thread === undefined) throw new Error(`no thread was made for ${name}`);
    return thread;
  }

  /** A thread whose checkpoint has 20 messages and 5 slots. */
  async #start(): Promise<Thread> {
    const checkpoint = emptyCheckpoint();
    const slots = Object.fromEntries(
      Array.from({ length: SLOTS }, (_, step) => [`slot-${step}`, stageOutput(this.#speech, step)]),
    );
    const messages = Array.from({ length: TURNS }, (_, index) => this.#message(index));
    const versions = { messages: 1, slots: 1, stage: 1 };
    const stage = stageOutput(this.#speech, SLOTS);
    const thread: Thread = {
      id: `thread-${this.#unique()}`,
      checkpoint: {
        ...checkpoint,
        channel_values: { messages, slots, stage },
        channel_versions: versions,
      },
      used: 0,
    };
    const metadata = { source: "input" as const, step: -1, parents: {} };
    await this.#saver.put(configOf(thread), thread.checkpoint, metadata, versions);
    return thread;
  }

  #message(index: number): Message {
    const isPerson = index % 2 === 0;
    return {
      role: isPerson ? "user" : "assistant",
      speaker: isPerson ? "Jane" : "Agent",
      text: this.#speech.turn(),
    };
  }

  #unique(): string {
    this.#made += 1;
    return String(this.#made);
  }
}

function configOf({ id }: Thread, checkpointId?: string) {
  const place = { thread_id: id, checkpoint_ns: "" };
  return {
    configurable: checkpointId === undefined ? place : { ...place, checkpoint_id: checkpointId },
  };
}
