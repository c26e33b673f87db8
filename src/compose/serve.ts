import { pino } from "pino";
import { isLoopback, readSettings, type Settings, type SettingsInput } from "../config/settings.js";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import { describeFault } from "../http/fault.js";
import { createServer } from "../http/server.js";
import { openQueue } from "../jobs/queue.js";
import { startWorker } from "../jobs/worker.js";
import { issueDevToken } from "../policy/dev-issuer.js";
import type { TokenClaims } from "./dev-access.js";
import type { Hooks } from "./hooks.js";
import { listen, refuseTakenPort } from "./listen.js";
import { logLevel } from "./log-level.js";
import { type OpenParts, openParts } from "./open.js";
import { packageVersion } from "./package-version.js";
import { readinessOf } from "./readiness.js";
import { serveMetrics } from "./serve-metrics.js";
import { startSweeper } from "./sweeper.js";

export interface ServeOptions {
  /** Where neither the settings nor the environment say one. */
  readonly logLevelDefault: Settings["logLevel"];
  /** True for a service that others may use: the data directory's lock then names its URL. */
  readonly announce: boolean;
}

export interface RunningService {
  readonly url: string;
  readonly settings: Settings;
  /** What the operator should know of the settings. */
  readonly warnings: readonly string[];
  /** What was done again before anything was served, for whoever restored a backup; null where nothing was. */
  readonly replayed: string | null;
  /** Signs a development token; null where the service takes none. */
  readonly signToken: ((claims: TokenClaims) => Promise<string>) | null;
  /** Answers the requests in flight, then closes the database. */
  stop(): Promise<void>;
}

/**
 * Opens everything and listens. Throws `unavailable` where another process holds the data directory, where the port is
 * taken, or where the database isn't safe to serve.
 */
export async function startService(
  given: SettingsInput,
  options: ServeOptions,
): Promise<RunningService> {
  if (options.announce) await refuseTakenPort(readSettings(given, process.env));
  const level = logLevel(given, options.logLevelDefault, process.env);
  const log = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const parts = await openParts(given, loggedHooks(log));
  // What is open by now, the last one first.
  const closing = [() => parts.close()];
  const stop = async () => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const { devKey, settings, services, database } = parts;
    const replayed = parts.replayed === 0 ? null : erasedAgain(parts.replayed);
    if (replayed !== null) log.warn(replayed);
    const sweeper = startSweeper(services, {
      done: (reports) => log.debug({ tenants: reports.length }, "swept"),
      failed: (cause) => log.error({ fault: describeFault(cause) }, "the sweep failed"),
    });
    closing.push(() => sweeper.stop());
    const worker = startWorker(services, openQueue(services.store.queue), {
      done: (report) => log.debug({ jobs: report }, "worked"),
      failed: (cause) => log.error({ fault: describeFault(cause) }, "jobs can't be worked on"),
    });
    closing.push(() => worker.stop());
    const server = serverOf(parts, log);
    closing.push(() => server.close());
    const url = await listen(server, settings);
    if (options.announce && settings.metricsPort !== undefined)
      closing.push(await serveMetrics(services, settings.metricsPort));
    if (options.announce) database.lock?.setUrl(url);
    return {
      url,
      settings,
      replayed,
      warnings: [...database.warnings, ...exposureWarnings(settings), ...budgetWarnings(settings)],
      signToken: devKey && ((claims) => issueDevToken(devKey, claims, services.clock)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function loggedHooks(log: pino.Logger): Hooks {
  return {
    onAlarm: (alarm) => log.error({ alarm }, "integrity alarm"),
    onEmbedderFault: (cause) =>
      log.warn({ fault: describeFault(cause) }, "the embedder didn't answer"),
    onJobFault: ({ cause, ...job }) =>
      log.warn({ ...job, fault: describeFault(cause) }, "a job didn't get done"),
    onFault: (cause) => log.error({ fault: describeFault(cause) }, "the policy could not decide"),
  };
}

function erasedAgain(steps: number): string {
  const behind = steps === 1 ? "one step" : `${steps} steps`;
  return `the database was ${behind} behind the erasure ledger, as after a restore: what was erased since is erased again`;
}

type Server = ReturnType<typeof createServer>;

function serverOf(parts: OpenParts, log: pino.Logger): Server {
  const { services, verifier, runIssuer, settings, database } = parts;
  return createServer({
    services,
    verify: (token) => verifier.verify(token),
    log,
    version: packageVersion(),
    limits: { requestsPerMinute: settings.requestsPerMinute },
    runTokens: ({ claims, subject, session, run }) =>
      runIssuer.issue({
        id: `agent of ${run}`,
        tenant: claims.tenant,
        workspace: claims.workspace,
        ...(subject === undefined ? {} : { subject }),
        ...(session === undefined ? {} : { session }),
        run: trustedId<"RunId">(run),
      }),
    ready: () => readinessOf(database),
  });
}

/** A bound that no question fits is a setting that nobody meant: each job would be parked. */
function budgetWarnings({ modelUrl, modelTokensPerDay: perDay }: Settings): readonly string[] {
  const least = 2 * (LIMITS.modelPromptTokensMin + LIMITS.modelAnswerTokensMax);
  if (modelUrl === undefined || perDay === undefined || perDay >= least) return [];
  return [
    `MUNIMENT_MODEL_TOKENS_PER_DAY is ${perDay}, and one question has ${least} set aside at least: every job that asks the model is parked (too_large:model_tokens_per_day)`,
  ];
}

function exposureWarnings({ host, issuersFile }: Settings): readonly string[] {
  if (isLoopback(host)) return [];
  return [
    "the service is open to the network without TLS: put a proxy with TLS in front of it",
    ...(issuersFile === undefined
      ? ["nobody can log in: set MUNIMENT_ISSUERS_FILE (development tokens are for loopback alone)"]
      : []),
  ];
}
