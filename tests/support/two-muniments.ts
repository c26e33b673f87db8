import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { operationsOf } from "../../src/compose/bound-operations.js";
import { createServices } from "../../src/compose/open.js";
import { openPostgresCustody } from "../../src/custody/drivers/postgres.js";
import type { Claims } from "../../src/domain/principal.js";
import type { Services } from "../../src/services/services.js";
import { openPostgres } from "../../src/storage/drivers/postgres.js";
import type { Alarm } from "../../src/storage/store.js";
import { freshPostgres, temporaryDirectory } from "../setup/databases.js";
import type { Operations } from "./muniment.js";
import { TestClock } from "./muniment.js";

export interface Instance {
  readonly services: Services;
  as(claims: Partial<Claims>, idempotencyKey?: string): Operations;
  app(idempotencyKey?: string): Operations;
  operator(): Operations;
}

export interface TwoMuniments {
  readonly first: Instance;
  readonly second: Instance;
  readonly clock: TestClock;
  readonly alarms: readonly Alarm[];
  /** As the owner, outside every wall. */
  query(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Two services that share nothing but one PostgreSQL and its custody, as two processes would. */
export async function openTwoMuniments(): Promise<TwoMuniments> {
  const clock = new TestClock();
  const fresh = await freshPostgres(inject("postgresUrl"));
  const file = join(await temporaryDirectory(), "master.key");
  const alarms: Alarm[] = [];
  const onAlarm = (alarm: Alarm) => alarms.push(alarm);
  const closers: (() => Promise<unknown>)[] = [() => fresh.drop()];
  const open = async (): Promise<Instance> => {
    const store = openPostgres({ url: fresh.url, clock, onAlarm });
    closers.push(() => store.close());
    const custody = { url: fresh.migrateUrl, masterKey: { file }, clock } as const;
    const keyring = await openPostgresCustody({ ...custody, expect: "new-or-existing" });
    closers.push(() => keyring.close());
    const services = createServices({ store, keyring, clock, onAlarm });
    const nobody = { issuer: "test", id: "app", kind: "service", roles: [] } as const;
    const scope = { tenant: "bank-au", workspace: "default" };
    const as = (claims: Partial<Claims>, key?: string) =>
      operationsOf(
        services,
        { ...nobody, ...scope, ...claims },
        key === undefined ? {} : { idempotencyKey: key },
      );
    return {
      services,
      as,
      app: (key) => as({ roles: ["app"] }, key),
      operator: () => as({ id: "olga", kind: "human", roles: ["operator"] }),
    };
  };
  const owner = new pg.Client({ connectionString: fresh.migrateUrl });
  await owner.connect();
  closers.push(() => owner.end());
  const first = await open();
  const second = await open();
  return {
    first,
    second,
    clock,
    alarms,
    query: async (text, values) => (await owner.query(text, [...values])).rows,
    close: async () => {
      for (const close of closers.reverse()) await close();
    },
  };
}
