import { uuidv7 } from "uuidv7";
import { assemble as assemblePack } from "../domain/assembly/assemble.js";
import { blockNonce } from "../domain/assembly/line.js";
import type { Pack } from "../domain/assembly/pack.js";
import { MunimentError, notFound } from "../domain/errors.js";
import { trustedId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Permit } from "../domain/permit.js";
import type { Pin } from "../domain/pin.js";
import type { Vector } from "../recall/vector.js";
import { listFieldValues, type ValuesWanted } from "../storage/queries/field-value-list.js";
import { listObservations } from "../storage/queries/observation-list.js";
import { insertPack } from "../storage/queries/pack-insert.js";
import { readRun } from "../storage/queries/run-read.js";
import { listTurnsBySession } from "../storage/queries/turn-list-by-session.js";
import { listWorkingByRun } from "../storage/queries/working-list-by-run.js";
import type { Transaction } from "../storage/store.js";
import type { Caller } from "./caller.js";
import { gather } from "./candidates.js";
import { runClock } from "./clocks.js";
import { derivedOf, viewReads } from "./derived-candidates.js";
import { beginEpisodeSearch, type FoundEpisodes, NO_EPISODES } from "./episode-search.js";
import { type Found, searchEvidence } from "./evidence-search.js";
import { CUSTOMER_KEY } from "./field-values.js";
import { govern } from "./govern.js";
import { type AssembleInput, assembleInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { readMeaning } from "./meaning.js";
import { named } from "./named-statements.js";
import { type FoundObservations, searchObservations } from "./observation-search.js";
import type { DecisionReply } from "./operation.js";
import { type PinnedRun, pinOf } from "./pins.js";
import { recallAsk } from "./recall-stage.js";
import { runExpired } from "./run-refusals.js";
import type { Services } from "./services.js";

export interface AssembleReply extends Omit<Pack, "manifest"> {
  readonly pack_id: string;
  /** Until when the pack may be used; a correction or deletion ends it earlier: ask `explain`. */
  readonly valid_until: string;
  /** True where something that the run knew was forgotten since its last pack: what the caller still has of it goes too. */
  readonly forgotten_since: boolean;
  /** True where the session may have older turns that weren't looked at. */
  readonly turns_capped: boolean;
  /** How the recall of turns went; null where none was asked for. */
  readonly recall: Pick<Found, "outcome" | "coverage"> | null;
  readonly recalled_episodes: Pick<FoundEpisodes, "outcome" | "coverage"> | null;
  readonly recalled_observations: Pick<FoundObservations, "outcome" | "coverage"> | null;
  readonly decision: DecisionReply;
}

/**
 * Assembles what the run may remember now, under the route's token cap. Recalled turns are packed only where the
 * pinned route and its pattern allow a recall at this moment. Two network round trips.
 */
export function assemble(
  services: Services,
  caller: Caller,
  run: string,
  body: unknown,
): Promise<AssembleReply> {
  return govern(services, caller, "assemble", async (op) => {
    const input = parseInput(assembleInput, body);
    const pinned = await pinOf(op, run);
    const { pin } = pinned;
    const context = {
      ...(input.recall === undefined
        ? {}
        : { recall: await recallAsk(services, caller, pin, input.recall) }),
      ...(readsStore(pin) ? { store: true as const } : {}),
      ...(viewsOf(pin).length > 0 ? { views: true as const } : {}),
    };
    const permit = op.permit({ type: "run", pin }, context);
    const tokensMax = capOf(pin, input);
    const meaning = input.recall ? await readMeaning(services, input.recall) : null;
    return await services.store.transact(permit, async (tx) => {
      const { candidates, row, found, episodes, observed } = await read(
        services,
        tx,
        permit,
        pinned,
        input,
        meaning,
      );
      const pack = assemblePack(candidates, {
        tokensMax,
        countTokens: services.countTokens,
        nonce: blockNonce(pin.run),
      });
      const packId = trustedId<"PackId">(uuidv7());
      const { manifest, ...shown } = pack;
      const stored = {
        packId,
        expiresAt: row.expiresAt,
        revision: row.revision,
        purgeRevision: row.purgeRevision,
        tokens: pack.tokens,
        tokensMax,
        contentMac: pinned.key.mac("pack", pack.text),
        manifest: JSON.stringify(manifest),
      };
      const reads = pack.items.map(({ kind, source }) => ({ kind, ids: source }));
      const writes = [{ kind: "pack", ids: [packId] }];
      const ttl = runClock(pin, row.expiresAt);
      await tx.commit([
        insertPack(permit, stored),
        op.audit(permit, { reads, writes, packId, tokens: pack.tokens, ttl }),
      ]);
      return {
        pack_id: packId,
        ...shown,
        valid_until: row.expiresAt.toISOString(),
        forgotten_since: row.knowsForgotten,
        turns_capped: candidates.turns.length >= LIMITS.assemblyTurnsMax,
        recall: found && { outcome: found.outcome, coverage: found.coverage },
        recalled_episodes: episodes && { outcome: episodes.outcome, coverage: episodes.coverage },
        recalled_observations: observed && {
          outcome: observed.outcome,
          coverage: observed.coverage,
        },
        decision: op.decision(),
      };
    });
  });
}

async function read(
  services: Services,
  tx: Transaction,
  permit: Permit<"assemble">,
  pinned: PinnedRun,
  input: AssembleInput,
  meaning: Vector | null,
) {
  const { pin, key } = pinned;
  const { recall } = input;
  const kinds = recall?.kinds ?? [];
  const search = recall && { permit, key, asked: recall, meaning };
  const searching =
    search && kinds.includes("episode") ? await beginEpisodeSearch(services, tx, search) : null;
  const wanted = named({
    runs: readRun(permit),
    working: listWorkingByRun(permit, LIMITS.workingRowsMax),
    turns: listTurnsBySession(permit, LIMITS.assemblyTurnsMax, null),
    ...(searching?.statements ?? NO_EPISODES),
    observable: kinds.includes("observation")
      ? listObservations(permit, LIMITS.observationsSearchedMax)
      : null,
    ...viewReads(services, permit, viewsOf(pin)),
    fields: readsStore(pin) ? listFieldValues(permit, fieldsOf(pin)) : null,
  });
  const [found, answers] =
    search === undefined || !kinds.includes("turn")
      ? ([null, await tx.send(wanted.list)] as const)
      : await searchEvidence(services, tx, search, wanted.list);
  const { runs, working, turns, observable, fields, ...rest } = wanted.rowsOf(answers);
  const [row] = runs;
  if (row === undefined) throw notFound();
  if (row.expiresAt <= permit.scope.now) throw runExpired();
  const episodes = searching && (await searching.end(rest));
  const observed =
    search !== undefined && kinds.includes("observation")
      ? await searchObservations(services, search, observable)
      : null;
  const views = await derivedOf(services, key, viewsOf(pin), rest);
  const rows = { row, working, turns, fields, derived: views, found, episodes, observed };
  const candidates = gather(services, pinned, rows);
  return { row, found, episodes, observed, candidates };
}

/** Fields of the store are long-term memory: a profile without it is shown none, and none are looked up. */
function readsStore({ route }: Pin): boolean {
  return route.memory_profile.long_term === "retrieve_only" && route.store_fields.length > 0;
}

/** Views are as well. */
function viewsOf({ route }: Pin): readonly string[] {
  return route.memory_profile.long_term === "retrieve_only" ? (route.views ?? []) : [];
}

/** What the route lists, under the customer's keys and this chat's. */
function fieldsOf({ route, session }: Pin): ValuesWanted {
  return {
    fields: route.store_fields,
    sessionKeys: [CUSTOMER_KEY, session],
    limit: LIMITS.fieldsPerPackMax,
  };
}

function capOf(pin: Pin, input: AssembleInput): number {
  const cap = pin.route.tokens_max;
  if (input.tokens_max === undefined) return cap;
  if (input.tokens_max > cap) {
    throw new MunimentError("invalid_input", `\`tokens_max\` is above the route's cap of ${cap}`, {
      field: "tokens_max",
    });
  }
  return input.tokens_max;
}
