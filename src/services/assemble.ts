import { uuidv7 } from "uuidv7";
import { assemble as assemblePack } from "../domain/assembly/assemble.js";
import { blockNonce } from "../domain/assembly/line.js";
import type { Pack } from "../domain/assembly/pack.js";
import { MunimentError } from "../domain/errors.js";
import { type PackId, trustedId } from "../domain/ids.js";
import type { SubjectKey } from "../domain/keyring.js";
import { LIMITS } from "../domain/limits.js";
import type { Pin } from "../domain/pin.js";
import { insertPack, type NewPack } from "../storage/queries/pack-insert.js";
import type { RunRow } from "../storage/queries/run-read.js";
import type { Caller } from "./caller.js";
import { gather } from "./candidates.js";
import { runClock } from "./clocks.js";
import type { FoundEpisodes } from "./episode-search.js";
import type { Found } from "./evidence-search.js";
import { govern } from "./govern.js";
import { type AssembleInput, assembleInput } from "./inputs/pack.js";
import { parseInput } from "./inputs/parse.js";
import { readMeaning } from "./meaning.js";
import type { FoundObservations } from "./observation-search.js";
import type { DecisionReply } from "./operation.js";
import { pinOf } from "./pins.js";
import { recallAsk } from "./recall-stage.js";
import { type Remembered, readRemembered, readsStore, viewsOf } from "./remembered.js";
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

type Recalled = NonNullable<AssembleReply["recall"]>;

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
    const { pin, key } = pinned;
    const permit = op.permit({ type: "run", pin }, await asksOf(services, caller, pin, input));
    const tokensMax = capOf(pin, input);
    const meaning = input.recall ? await readMeaning(services, input.recall) : null;
    return await services.store.transact(permit, async (tx) => {
      const asked = { recall: input.recall, meaning };
      const remembered = await readRemembered(services, tx, permit, pinned, asked);
      const candidates = gather(services, pinned, remembered);
      const pack = assemblePack(candidates, {
        tokensMax,
        countTokens: services.countTokens,
        nonce: blockNonce(pin.run),
      });
      const packId = trustedId<"PackId">(uuidv7());
      await tx.commit([
        insertPack(permit, packRow(packId, pack, remembered.row, { tokensMax, key })),
        op.audit(permit, {
          reads: pack.items.map(({ kind, source }) => ({ kind, ids: source })),
          writes: [{ kind: "pack", ids: [packId] }],
          packId,
          tokens: pack.tokens,
          ttl: runClock(pin, remembered.row.expiresAt),
        }),
      ]);
      const turnsCapped = candidates.turns.length >= LIMITS.assemblyTurnsMax;
      return { ...replyOf(packId, pack, remembered, turnsCapped), decision: op.decision() };
    });
  });
}

/** What the policy is asked beyond the run itself. */
async function asksOf(services: Services, caller: Caller, pin: Pin, { recall }: AssembleInput) {
  return {
    ...(recall === undefined ? {} : { recall: await recallAsk(services, caller, pin, recall) }),
    ...(readsStore(pin) ? { store: true as const } : {}),
    ...(viewsOf(pin).length > 0 ? { views: true as const } : {}),
  };
}

interface Packing {
  readonly tokensMax: number;
  readonly key: SubjectKey;
}

/** What is kept of a pack: which rows it showed, and a code that knows its text again. */
function packRow(
  packId: PackId,
  { manifest, text, tokens }: Pack,
  { expiresAt, revision, purgeRevision }: RunRow,
  { tokensMax, key }: Packing,
): NewPack {
  return {
    packId,
    expiresAt,
    revision,
    purgeRevision,
    tokens,
    tokensMax,
    contentMac: key.mac("pack", text),
    manifest: JSON.stringify(manifest),
  };
}

function replyOf(
  packId: PackId,
  { manifest: _kept, ...shown }: Pack,
  { row, found, episodes, observed }: Remembered,
  turnsCapped: boolean,
): Omit<AssembleReply, "decision"> {
  return {
    pack_id: packId,
    ...shown,
    valid_until: row.expiresAt.toISOString(),
    forgotten_since: row.knowsForgotten,
    turns_capped: turnsCapped,
    recall: found && outcomeOf(found),
    recalled_episodes: episodes && outcomeOf(episodes),
    recalled_observations: observed && outcomeOf(observed),
  };
}

function outcomeOf({ outcome, coverage }: Recalled): Recalled {
  return { outcome, coverage };
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
