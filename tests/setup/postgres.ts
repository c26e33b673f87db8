import type { TestProject } from "vitest/node";
import { type EmbeddedPostgres, hasPostgres, startPostgres } from "./embedded-postgres.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Superuser's URL of a throw-away PostgreSQL 18. */
    readonly postgresUrl: string;
    /** The same for PostgreSQL 15; null on platforms without a package of it. */
    readonly postgres15Url: string | null;
  }
}

let servers: readonly EmbeddedPostgres[] = [];

export async function setup(project: TestProject): Promise<void> {
  const has15 = hasPostgres(15);
  if (!has15) {
    process.stderr.write(
      `\nNo PostgreSQL 15 for ${process.platform}-${process.arch}: suites run on 18 alone.\n\n`,
    );
  }
  servers = await Promise.all([
    startPostgres({ major: 18 }),
    ...(has15 ? [startPostgres({ major: 15 })] : []),
  ]);
  const [newest, oldest] = servers;
  project.provide("postgresUrl", newest?.url ?? "");
  project.provide("postgres15Url", oldest?.url ?? null);
}

export async function teardown(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
