import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readSettings, type SettingsInput } from "../config/settings.js";
import { MunimentError } from "../domain/errors.js";
import { lockDirectory } from "../storage/drivers/directory-lock.js";
import { signDevToken, type TokenClaims } from "./dev-access.js";
import { heldBy } from "./held.js";
import { hasDatabase, nothingAt } from "./nothing-at.js";
import type { RunningService } from "./serve.js";

/** A way to the service of a data directory. */
export interface Connection {
  readonly url: string;
  /** A development token for these claims. */
  signToken(claims: TokenClaims): Promise<string>;
  /** Stops the service if it is our own. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Makes a database where there is none. Otherwise that is refused, and nothing is made: it may be a mistyped place. */
  readonly makes: boolean;
  /** Told where no service held the embedded database and this process has opened it. */
  readonly onOpened: (opened: OpenedHere) => void;
}

export interface OpenedHere {
  readonly dataDir: string;
  readonly isNew: boolean;
  /** What was done again before, as after a restore. */
  readonly replayed: string | null;
}

/** How long to wait for a holder that serves nobody, such as another command at work. */
const HELD_MS_MAX = 10_000;
const HELD_PAUSE_MS = 100;

/**
 * The service that holds the data directory, or one of our own until `close()`: on a free loopback port and without
 * its URL in the lock, because it won't stay. Whether there is a holder is the lock's to say, so we try to take it.
 */
export async function connectService(
  given: SettingsInput,
  { makes, onOpened }: ConnectOptions,
): Promise<Connection> {
  const { databaseUrl, dataDir } = readSettings(given, process.env);
  const isNew = databaseUrl === undefined && !hasDatabase(dataDir);
  if (isNew && !makes) throw nothingAt(dataDir);
  const until = Date.now() + HELD_MS_MAX;
  for (;;) {
    try {
      if (databaseUrl === undefined) await refuseHeld(dataDir);
      const service = await startOwn(given);
      const { replayed } = service;
      if (databaseUrl === undefined) onOpened({ dataDir, isNew, replayed });
      return ownConnection(service);
    } catch (error) {
      const held = heldBy(error);
      if (held === null) throw error;
      const { url } = held;
      if (url !== null) {
        const signToken = (claims: TokenClaims) => signDevToken(given, claims);
        return { url, signToken, close: async () => undefined };
      }
      if (Date.now() > until) throw held.refusal;
      await wait(HELD_PAUSE_MS);
    }
  }
}

/** The same on a data directory that is gone afterwards, where neither the call nor the environment names a database. */
export async function connectForTrial(
  given: SettingsInput,
  onOpened: ConnectOptions["onOpened"],
): Promise<Connection> {
  const isPlaced =
    given.dataDir !== undefined ||
    Boolean(process.env.MUNIMENT_DATA_DIR) ||
    Boolean(process.env.MUNIMENT_DATABASE_URL);
  if (isPlaced) return connectService(given, { makes: true, onOpened });
  const dir = await mkdtemp(join(tmpdir(), "muniment-demo-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    const dataDir = join(dir, "data");
    const own = ownConnection(
      await startOwn({ ...given, dataDir, masterKeyFile: join(dir, "master.key") }),
    );
    return {
      ...own,
      close: async () => {
        await own.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Throws where a process holds the directory. Opening would too, after all that a service needs was loaded. */
async function refuseHeld(dataDir: string): Promise<void> {
  const lock = await lockDirectory(dataDir);
  await lock.release();
}

async function startOwn(given: SettingsInput): Promise<RunningService> {
  const { startService } = await import("./serve.js");
  const here = { ...given, host: "127.0.0.1", port: 0 };
  return startService(here, { announce: false, logLevelDefault: "error" });
}

function ownConnection(service: RunningService): Connection {
  const { url, signToken } = service;
  return {
    url,
    signToken: async (claims) => {
      if (signToken !== null) return signToken(claims);
      throw new MunimentError(
        "unauthenticated",
        "with MUNIMENT_ISSUERS_FILE set, no development tokens are taken",
      );
    },
    close: () => service.stop(),
  };
}
