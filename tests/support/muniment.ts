import { join } from "node:path";
import { operationsOf } from "../../src/compose/bound-operations.js";
import { createJobs, type Jobs } from "../../src/compose/jobs.js";
import { createServices } from "../../src/compose/open.js";
import { openFileCustody } from "../../src/custody/drivers/file.js";
import type { Clock } from "../../src/domain/clock.js";
import { MunimentError } from "../../src/domain/errors.js";
import type { Claims } from "../../src/domain/principal.js";
import type { PutRouteBody } from "../../src/services/bodies.js";
import type { PutFieldBody } from "../../src/services/field-bodies.js";
import type { PutDimensionBody } from "../../src/services/observation-bodies.js";
import type { Retrieval } from "../../src/services/retrieval.js";
import type { Services } from "../../src/services/services.js";
import type { SystemOfRecord } from "../../src/services/system-of-record.js";
import type { Alarm } from "../../src/storage/store.js";
import { afterFile } from "../setup/after-file.js";
import {
  type DatabaseKind,
  type TestDatabase,
  type TestDatabaseOptions,
  temporaryDirectory,
} from "../setup/databases.js";

/** With bodies of any shape: tests send wrong ones too. */
export type Operations = ReturnType<typeof operationsOf>;

/** A clock that a test moves. */
export class TestClock implements Clock {
  #now = new Date("2026-03-01T09:00:00Z");

  now(): Date {
    return new Date(this.#now);
  }

  forward({
    hours = 0,
    seconds = 0,
    milliseconds = 0,
  }: {
    hours?: number;
    seconds?: number;
    milliseconds?: number;
  }): void {
    this.#now = new Date(this.#now.getTime() + hours * 3_600_000 + seconds * 1_000 + milliseconds);
  }
}

export interface TestMuniment {
  readonly services: Services;
  readonly db: TestDatabase;
  readonly clock: TestClock;
  /** Integrity alarms of storage and of sealed values. */
  readonly alarms: readonly Alarm[];
  /** Works on what is queued. */
  readonly jobs: Jobs;
  as(claims: Partial<Claims>, idempotencyKey?: string): Operations;
  /** The bank's application, which runs routes for any subject of its tenant. */
  app(tenant?: string, idempotencyKey?: string): Operations;
  operator(tenant?: string): Operations;
  /** Somebody who decides over candidates. */
  reviewer(id?: string): Operations;
  /** Who answers for privacy. */
  privacy(tenant?: string): Operations;
  /** A service with one role. */
  service(role: string): Operations;
  /** A customer, bound to a subject (and to a session where one is given). */
  customer(subject: string, session?: string): Operations;
}

/** Real services over a real database and a real custody in files. Everything is closed with the suite. */
export async function openTestMuniment(
  database: DatabaseKind,
  {
    systemOfRecord = null,
    retrieval = null,
    ...options
  }: Omit<TestDatabaseOptions, "clock"> & {
    readonly systemOfRecord?: SystemOfRecord | null;
    readonly retrieval?: Retrieval | null;
  } = {},
): Promise<TestMuniment> {
  const clock = new TestClock();
  const db = await database.open({ ...options, clock });
  const dir = await temporaryDirectory();
  const masterKey = { file: join(dir, "master.key") };
  const keyring = await openFileCustody({
    dir: join(dir, "custody"),
    masterKey,
    clock,
    expect: "new-or-existing",
  });
  afterFile(() => keyring.close());
  const sealed: Alarm[] = [];
  const services = createServices({
    store: db.store,
    keyring,
    clock,
    systemOfRecord,
    retrieval,
    onAlarm: (alarm) => sealed.push(alarm),
  });
  afterFile(() => services.indexes.close());
  const as = (claims: Partial<Claims>, idempotencyKey?: string) =>
    operationsOf(
      services,
      {
        issuer: "test",
        id: "somebody",
        kind: "service",
        roles: [],
        tenant: "bank-au",
        workspace: "default",
        ...claims,
      },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
  return {
    services,
    db,
    clock,
    jobs: createJobs(services),
    get alarms() {
      return [...db.alarms, ...sealed];
    },
    as,
    app: (tenant = "bank-au", key) => as({ id: "app", roles: ["app"], tenant }, key),
    operator: (tenant = "bank-au") =>
      as({ id: "olga", kind: "human", roles: ["operator"], tenant }),
    reviewer: (id = "rita") => as({ id, kind: "human", roles: ["reviewer"] }),
    privacy: (tenant = "bank-au") =>
      as({ id: "petra", kind: "human", roles: ["privacy_officer"], tenant }),
    service: (role) => as({ id: role, roles: [role] }),
    customer: (subject, session) =>
      as({ id: subject, kind: "human", subject, ...(session === undefined ? {} : { session }) }),
  };
}

const KEEPS_ALL = {
  conversation: "session",
  working: "session",
  loop: "checkpoint",
  long_term: "retrieve_only",
  ttl_hours: 24,
  isolation: ["tenant", "user", "session"],
};

/** A route body that keeps everything; parts of it may be given anew. */
export function routeBody({
  profile = {},
  ...rest
}: {
  readonly profile?: object;
  readonly [key: string]: unknown;
} = {}): PutRouteBody {
  return {
    memory_profile: { ...KEEPS_ALL, ...profile },
    autonomy: 0,
    risk: "low",
    stages: [],
    tools: ["recall_turns"],
    recall_from: [],
    store_fields: [],
    retrieval: {},
    tokens_max: 4_000,
    ...rest,
  } as PutRouteBody;
}

/** A preference that the person and those who serve them may set; parts of it may be given anew. */
export function fieldBody(change: Readonly<Record<string, unknown>> = {}): PutFieldBody {
  return {
    class: "preference",
    description: "How the person is spoken to",
    value_schema: { type: "string", pattern: "^[a-z]{1,12}$", maxLength: 12 },
    writers: ["user", "human_agent", "settings_form", "system_of_record"],
    owner: "service desk",
    scope: "customer",
    routes: "global",
    answers: { edited_by_human: true, wrong_value_repeats: true, writer_and_audit_named: true },
    criterion: "pref_extraction",
    ...change,
  } as PutFieldBody;
}

/** Kind of the refusal that a call ends with; fails where it isn't refused. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof MunimentError) return error.kind;
    throw error;
  }
  throw new Error("it wasn't refused");
}

/** A dimension of a tenant's own, with examples that its cues tell apart; parts of it may be given anew. */
export function dimensionBody(given: Partial<PutDimensionBody> = {}): PutDimensionBody {
  return {
    entity: "person",
    type: "string",
    description: "how the person sleeps",
    tags: ["memory_extraction"],
    cues: ["sleep", "slept", "wake up"],
    examples: {
      preference: "I sleep best in a cold room.",
      correction: "I no longer sleep in the cold room, it made me cough.",
      nothing: "Ok, thank you for the call.",
    },
    ...given,
  };
}
