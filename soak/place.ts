import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type Muniment, openMuniment } from "../src/compose/muniment.js";
import type { Operations } from "../src/compose/operations.js";
import type { SettingsInput } from "../src/config/settings.js";
import { startPostgres } from "../tests/setup/embedded-postgres.js";

export type SoakKind = "postgres" | "pglite";

export type Role = "app" | "operator" | "privacy_officer";

/** One custody, and one database after the other that it seals. */
export interface Place {
  readonly dir: string;
  /** Settings over a new, empty database; the one before stays until `drop`. */
  fresh(): Promise<SettingsInput>;
  /** All rows of a database, as its owner sees them. */
  query(settings: SettingsInput, text: string, values: readonly unknown[]): Promise<number>;
  drop(settings: SettingsInput): Promise<void>;
  /** Directories with everything that is left of a deployment. */
  files(backup: string): readonly string[];
  stop(): Promise<void>;
}

export function openPlace(kind: SoakKind = "postgres"): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), "muniment-soak-"));
  return kind === "pglite" ? Promise.resolve(directoryPlace(dir)) : serverPlace(dir);
}

function directoryPlace(dir: string): Place {
  const masterKey = randomBytes(32).toString("hex");
  const dataDir = join(dir, "data");
  return {
    dir,
    fresh: () => Promise.resolve({ dataDir, masterKey }),
    query: () => Promise.reject(new Error("an embedded database is looked at in its backup")),
    drop: () => Promise.reject(new Error("an embedded database goes with its place")),
    files: (backup) => [backup, dataDir],
    stop: () => Promise.resolve(rmSync(dir, { recursive: true, force: true })),
  };
}

async function serverPlace(dir: string): Promise<Place> {
  const postgres = await startPostgres({ major: 18 });
  const root = new pg.Pool({ connectionString: postgres.url, max: 1 });
  const create = async (name: string): Promise<string> => {
    await root.query(`create database ${name}`);
    return Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
  };
  const custodyUrl = await create("custody");
  const masterKey = randomBytes(32).toString("hex");
  let made = 0;
  return {
    dir,
    fresh: async () => {
      made += 1;
      return {
        dataDir: join(dir, "data"),
        masterKey,
        custodyUrl,
        databaseUrl: await create(`soak_${made}`),
      };
    },
    query: async ({ databaseUrl }, text, values) => {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      const { rows } = await client.query<{ n: number }>(text, [...values]);
      await client.end();
      return rows[0]?.n ?? 0;
    },
    drop: async ({ databaseUrl }) => {
      await root.query(
        `drop database ${new URL(databaseUrl ?? "").pathname.slice(1)} with (force)`,
      );
    },
    files: (backup) => [backup],
    stop: async () => {
      await root.end();
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function withMuniment<R>(
  settings: SettingsInput,
  body: (as: (role: Role) => Operations) => Promise<R>,
): Promise<R> {
  const muniment = await openMuniment(settings);
  try {
    return await body((role) => actAs(muniment, role));
  } finally {
    await muniment.close();
  }
}

function actAs(muniment: Muniment, role: Role): Operations {
  return muniment.as({
    issuer: "soak",
    id: role,
    kind: role === "app" ? "service" : "human",
    roles: [role],
    tenant: "soak",
    workspace: "default",
  });
}
