import { join } from "node:path";
import { readOperatorFile } from "../config/operator-file.js";
import { isLoopback, readSettings, type Settings, type SettingsInput } from "../config/settings.js";
import type { Clock } from "../domain/clock.js";
import type { Embedder } from "../domain/embedder.js";
import { MunimentError } from "../domain/errors.js";
import type { Keyring } from "../domain/keyring.js";
import { RETENTION_DEFAULT, type Retention } from "../domain/retention.js";
import { createCedarPdp } from "../policy/cedar.js";
import { createVerifier, type Verifier } from "../policy/credentials.js";
import { cacheDecisions } from "../policy/decision-cache.js";
import { createRunIssuer, devIssuer, type RunIssuer } from "../policy/dev-issuer.js";
import { createPolicy } from "../policy/enforce.js";
import { type IssuerKey, loadIssuerKey } from "../policy/issuer-key.js";
import { type Issuer, parseIssuers } from "../policy/issuers.js";
import { loadPolicySet } from "../policy/policy-files.js";
import { IndexCache } from "../recall/index-cache.js";
import { replayLedger } from "../services/replay-ledger.js";
import type { Retrieval } from "../services/retrieval.js";
import type { Services } from "../services/services.js";
import { NO_FILES, type StoredFiles } from "../services/stored-files.js";
import type { SystemOfRecord } from "../services/system-of-record.js";
import { createTokenCounter } from "../services/tokens.js";
import type { OnAlarm, Store } from "../storage/store.js";
import { createCaches } from "./caches.js";
import { openCorpora } from "./corpora.js";
import { openCues } from "./cues.js";
import { type OpenDatabase, openDatabase } from "./database.js";
import { type Derivers, deriversOf } from "./derivers.js";
import { openEmbedder } from "./embedder.js";
import type { Hooks } from "./hooks.js";
import { createHttpRecord } from "./http-record.js";
import { loadProjections } from "./projections.js";
import { filesOf } from "./stored-files.js";
import { SYSTEM_CLOCK } from "./system-clock.js";

export interface OpenParts {
  readonly settings: Settings;
  readonly services: Services;
  readonly database: OpenDatabase;
  readonly verifier: Verifier;
  readonly runIssuer: RunIssuer;
  /** Steps of the erasure ledger that the database was behind, and that were done again. */
  readonly replayed: number;
  /** Signs development tokens; null where the service doesn't take them. */
  readonly devKey: IssuerKey | null;
  close(): Promise<void>;
}

/** Puts all parts together. The environment is read here, once. */
export async function openParts(given: SettingsInput, hooks: Hooks = {}): Promise<OpenParts> {
  const settings = readSettings(given, process.env);
  const clock = hooks.clock ?? SYSTEM_CLOCK;
  const onAlarm = hooks.onAlarm ?? (() => undefined);
  const database = await openDatabase(settings, {
    clock,
    onAlarm,
    evidenceDays: settings.evidenceDays,
    ...(hooks.onFlush && { onFlush: hooks.onFlush }),
  });
  let embedder: Embedder | null = null;
  const close = async () => {
    await embedder?.close();
    await database.close();
  };
  try {
    embedder = openEmbedder(settings);
    const { verifier, runIssuer, devKey } = await openCredentials(settings, clock);
    const services = createServices({
      store: database.store,
      keyring: database.keyring,
      clock,
      onAlarm,
      systemOfRecord: recordOf(settings),
      retrieval: hooks.retrieval ?? (await openCorpora(settings)),
      files: filesOf(settings.dataDir, [settings.masterKeyFile]),
      onFault: hooks.onFault,
      retention: settings,
      embedder,
      onEmbedderFault: hooks.onEmbedderFault,
      onJobFault: hooks.onJobFault,
      derivers: deriversOf(settings),
      cues: openCues(settings),
      modelTokensPerDay: settings.modelTokensPerDay ?? null,
    });
    const reports = await replayLedger(services);
    const replayed = reports.reduce((sum, report) => sum + report.replayed, 0);
    return { settings, services, database, verifier, runIssuer, devKey, replayed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface ServiceParts {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly onAlarm: OnAlarm;
  readonly systemOfRecord?: SystemOfRecord | null;
  readonly retrieval?: Retrieval | null;
  readonly files?: StoredFiles;
  readonly onFault?: Hooks["onFault"] | undefined;
  readonly retention?: Retention;
  readonly embedder?: Embedder | null;
  readonly onEmbedderFault?: Hooks["onEmbedderFault"] | undefined;
  readonly onJobFault?: Hooks["onJobFault"] | undefined;
  readonly derivers?: Derivers;
  readonly cues?: Services["cues"];
  readonly modelTokensPerDay?: Services["modelTokensPerDay"];
}

/** The use cases' parts over an open database and its custody. */
export function createServices({
  store,
  keyring,
  clock,
  onAlarm,
  systemOfRecord = null,
  retrieval = null,
  files = NO_FILES,
  onFault,
  retention = RETENTION_DEFAULT,
  embedder = null,
  onEmbedderFault = () => undefined,
  onJobFault = () => undefined,
  derivers = deriversOf({}),
  cues = openCues({}),
  modelTokensPerDay = null,
}: ServiceParts): Services {
  return {
    store,
    directory: store.directory,
    keyring,
    policy: createPolicy({
      pdp: cacheDecisions(createCedarPdp(loadPolicySet())),
      ...(onFault && { onFault }),
    }),
    indexes: new IndexCache(clock),
    embedder,
    onEmbedderFault,
    onJobFault,
    caches: createCaches(),
    clock,
    projections: loadProjections(),
    systemOfRecord,
    retrieval,
    files,
    onAlarm,
    retention,
    ...derivers,
    cues,
    modelTokensPerDay,
    countTokens: createTokenCounter(),
  };
}

/** Beyond this machine facts travel under TLS. */
function recordOf({ recordUrl, recordToken }: Settings): SystemOfRecord | null {
  if (recordUrl === undefined) return null;
  const { protocol, hostname } = new URL(recordUrl);
  if (protocol === "http:" && !isLoopback(hostname))
    throw new MunimentError("invalid_input", "the system of record needs an https URL", {
      field: "recordUrl",
    });
  return createHttpRecord({ url: recordUrl, token: recordToken });
}

async function openCredentials(
  settings: Settings,
  clock: Clock,
): Promise<Pick<OpenParts, "verifier" | "runIssuer" | "devKey">> {
  const keys = join(settings.dataDir, "issuers");
  const runIssuer = createRunIssuer(await loadIssuerKey(keys, "run"), clock);
  const configured: readonly Issuer[] =
    settings.issuersFile === undefined ? [] : parseIssuers(readOperatorFile(settings.issuersFile));
  const devKey =
    isLoopback(settings.host) && settings.issuersFile === undefined
      ? await loadIssuerKey(keys, "dev")
      : null;
  const issuers = [
    ...configured,
    runIssuer.issuer,
    ...(devKey === null ? [] : [devIssuer(devKey)]),
  ];
  return { verifier: createVerifier(issuers, clock), runIssuer, devKey };
}
