import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, describe, expect, inject, it } from "vitest";
import {
  type Migration,
  MigrationError,
  migrate,
  readMigrations,
} from "../../src/storage/migrate.js";
import type { MigrationConnection } from "../../src/storage/migration-connection.js";
import { runChild } from "../setup/child-process.js";
import { emptyPostgres, freshPostgres } from "../setup/databases.js";

const CLOCK = { now: () => new Date("2026-03-01T09:30:00Z") };
const ALL = readMigrations();

interface Empty {
  readonly connection: MigrationConnection;
  close(): Promise<void>;
}

async function emptyOn(serverUrl: string): Promise<Empty> {
  const database = await emptyPostgres(serverUrl);
  const client = new pg.Client({ connectionString: database.migrateUrl });
  await client.connect();
  return {
    connection: {
      query: (text, values = []) => client.query<Record<string, unknown>>(text, [...values]),
    },
    close: async () => {
      await client.end();
      await database.drop();
    },
  };
}

/** The one PGlite of this suite, emptied before each use: making one takes seconds. */
async function emptyPglite(db: PGlite): Promise<Empty> {
  await db.query("drop schema if exists muniment cascade");
  return {
    connection: {
      query: (text, values = []) => db.query<Record<string, unknown>>(text, [...values]),
    },
    close: async () => undefined,
  };
}

const openers: [string, () => Promise<Empty>][] = [
  ["postgres 18", () => emptyOn(inject("postgresUrl"))],
];
const url15 = inject("postgres15Url");
if (url15 !== null) openers.push(["postgres 15", () => emptyOn(url15)]);

let pglite: PGlite | null = null;
openers.push([
  "pglite",
  async () => {
    pglite ??= await PGlite.create();
    return emptyPglite(pglite);
  },
]);

afterAll(async () => {
  await pglite?.close();
});

function applied(connection: MigrationConnection): Promise<readonly unknown[]> {
  return connection
    .query("select number from muniment.migration order by number")
    .then(({ rows }) => rows.map((row) => row.number));
}

describe.each(openers)("migrations (%s)", (_name, open) => {
  async function withEmpty(
    body: (connection: MigrationConnection) => Promise<void>,
  ): Promise<void> {
    const { connection, close } = await open();
    try {
      await body(connection);
    } finally {
      await close();
    }
  }

  it("an empty database gets them all, a migrated one gets nothing", () =>
    withEmpty(async (connection) => {
      expect(await migrate(connection, CLOCK)).toEqual(ALL.map(({ name }) => name));
      expect(await migrate(connection, CLOCK)).toEqual([]);
      const { rows } = await connection.query(
        "select number, name, sha256, applied_at from muniment.migration order by number",
      );
      expect(rows).toEqual(
        ALL.map(({ number, name, sha256 }) => ({ number, name, sha256, applied_at: CLOCK.now() })),
      );
    }));

  it("an older database goes forward", () =>
    withEmpty(async (connection) => {
      await migrate(connection, CLOCK, ALL.slice(0, 3));
      expect(await migrate(connection, CLOCK)).toEqual(ALL.slice(3).map(({ name }) => name));
    }));

  it("a failure at any statement leaves the migration before it, and a new start goes on from there", () =>
    withEmpty(async (connection) => {
      let left = 0;
      const dying: MigrationConnection = {
        query: (text, values) => {
          left -= 1;
          return left < 0 && text !== "rollback"
            ? Promise.reject(new Error("died"))
            : connection.query(text, values);
        },
      };
      for (let survived = 1; survived < 400; survived += 7) {
        left = survived;
        const outcome = await migrate(dying, CLOCK).catch((error: Error) => error.message);
        if (outcome !== "died") break;
      }
      expect(await migrate(connection, CLOCK)).toEqual([]);
      expect(await applied(connection)).toEqual(ALL.map(({ number }) => number));
    }));

  it("a database of a newer version is refused and left as it is", () =>
    withEmpty(async (connection) => {
      await migrate(connection, CLOCK);
      await expect(migrate(connection, CLOCK, ALL.slice(0, -1))).rejects.toThrow(
        /migrated by a newer version/,
      );
      expect(await applied(connection)).toHaveLength(ALL.length);
    }));

  it("a migration that was changed after it was applied is refused", () =>
    withEmpty(async (connection) => {
      await migrate(connection, CLOCK, ALL.slice(0, 2));
      const changed: Migration[] = ALL.map((migration) =>
        migration.number === 1 ? { ...migration, sha256: "another" } : migration,
      );
      await expect(migrate(connection, CLOCK, changed)).rejects.toThrow(
        /0001-wall.sql was changed/,
      );
      expect(await applied(connection)).toEqual([1, 2]);
    }));

  it("a database with a gap is refused", () =>
    withEmpty(async (connection) => {
      await migrate(connection, CLOCK, ALL.slice(0, 3));
      await connection.query("delete from muniment.migration where number = 2");
      await expect(migrate(connection, CLOCK)).rejects.toBeInstanceOf(MigrationError);
    }));
});

describe.each(openers.filter(([name]) => name.startsWith("postgres")).map(([name]) => [name]))(
  "migrators at once (%s)",
  (name) => {
    it("five processes on one empty database apply each migration once", async () => {
      const database = await emptyPostgres(
        (name === "postgres 15" ? url15 : null) ?? inject("postgresUrl"),
      );
      const children = Array.from({ length: 5 }, () =>
        runChild(join(import.meta.dirname, "migrator.ts"), [database.migrateUrl]),
      );
      await Promise.all(children.map((child) => child.nextLine()));
      for (const child of children) child.process.stdin?.write("go\n");
      const said = await Promise.all(children.map((child) => child.nextLine()));
      const names = said.flatMap((line) => JSON.parse(line) as string[]);
      expect(names.sort()).toEqual(ALL.map((migration) => migration.name));
      expect(await Promise.all(children.map((child) => child.exit))).toEqual([0, 0, 0, 0, 0]);
      await database.drop();
    });

    it("two databases of one server can be migrated at once, though a role belongs to both", async () => {
      const server = (name === "postgres 15" ? url15 : null) ?? inject("postgresUrl");
      const fresh = await Promise.all([freshPostgres(server), freshPostgres(server)]);
      await Promise.all(fresh.map((database) => database.drop()));
    });
  },
);
