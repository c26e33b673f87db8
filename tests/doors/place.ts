import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe } from "vitest";
import { openDatabase } from "../../src/storage/drivers/pglite-database.js";
import { emptyPostgres, freshPostgres } from "../setup/databases.js";
import { type Housing, type Service, startService } from "./service.js";

type Row = Readonly<Record<string, unknown>>;

/** Where a service keeps its data: a directory, and a PostgreSQL beside it where it has one. */
export interface Place extends Housing {
  /** As the owner, outside every wall. On PGlite only while no service has the directory. */
  query<R extends Row>(text: string): Promise<readonly R[]>;
}

/** Makes places and starts services over them. What was started is stopped after the suite. */
export interface Doors {
  readonly name: "pglite" | "postgres 18";
  place(): Promise<Place>;
  serve(place: Place, environment?: Readonly<Record<string, string>>): Promise<Service>;
  /** Something else that has to end after the suite. */
  closing(close: () => unknown): void;
}

type Closing = Doors["closing"];

export async function temporary(closing: Closing): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "muniment-doors-"));
  closing(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function directoryPlace(closing: Closing): Promise<Place> {
  const parent = await temporary(closing);
  const dir = join(parent, "data");
  return {
    dir,
    environment: { MUNIMENT_MASTER_KEY_FILE: join(parent, "master.key") },
    query: async <R extends Row>(text: string) => {
      const db = await openDatabase(dir, "");
      try {
        return (await db.query<R>(text)).rows;
      } finally {
        await db.close();
      }
    },
  };
}

async function serverPlace(closing: Closing): Promise<Place> {
  const { dir, environment } = await directoryPlace(closing);
  const database = await freshPostgres();
  const custody = await emptyPostgres();
  closing(() => database.drop());
  closing(() => custody.drop());
  return {
    dir,
    environment: {
      ...environment,
      MUNIMENT_DATABASE_URL: database.url,
      MUNIMENT_MIGRATE_URL: database.migrateUrl,
      MUNIMENT_CUSTODY_URL: custody.migrateUrl,
    },
    query: <R extends Row>(text: string) => queryPostgres<R>(database.migrateUrl, text),
  };
}

export async function queryPostgres<R extends Row>(
  url: string,
  text: string,
): Promise<readonly R[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Runs a suite over started services on each database. The title names it: docs/conformance.md reads it. */
export function describeEachPlace(name: string, suite: (doors: Doors) => void): void {
  describePlaces(name, "pglite", directoryPlace, suite);
  describePlaces(name, "postgres 18", serverPlace, suite);
}

/** The same on the embedded database alone. */
export function describeDirectory(name: string, suite: (doors: Doors) => void): void {
  describePlaces(name, "pglite", directoryPlace, suite);
}

function describePlaces(
  name: string,
  kind: Doors["name"],
  make: (closing: Closing) => Promise<Place>,
  suite: (doors: Doors) => void,
): void {
  describe(`${name} (${kind})`, () => {
    const closers: (() => unknown)[] = [];
    const closing: Closing = (close) => closers.push(close);
    suite({
      name: kind,
      closing,
      place: () => make(closing),
      serve: async (place, environment) => {
        const service = await startService(place, environment);
        closing(() => service.end("SIGKILL"));
        return service;
      },
    });
    afterAll(async () => {
      for (const close of closers.reverse()) await close();
    });
  });
}
