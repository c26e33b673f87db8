import type { AssembleReply } from "../../../services/assemble.js";
import type { ExplainPackReply } from "../../../services/explain-pack.js";
import { path } from "../../client.js";
import { counted } from "../../counted.js";
import { shortSource } from "../../source.js";
import { plainLines, table } from "../../table.js";
import { WORKING } from "../bank.js";
import { claim, same } from "../claim.js";
import { fact, type Scene, type Step, type Told } from "../story.js";

export const PACK_STEPS: readonly Step[] = [
  { name: "pack", tell: packWhole },
  { name: "cap_drops_scratch", tell: dropScratch },
  { name: "cap_drops_old_turns", tell: dropTurns },
  { name: "sources", tell: showSources },
];

async function assemble(scene: Scene, tokensMax?: number): Promise<AssembleReply> {
  const body = tokensMax === undefined ? {} : { tokens_max: tokensMax };
  const at = path`/v1/runs/${fact(scene, "run")}/pack`;
  return fact(scene, "agent").ask<AssembleReply>("POST", at, body);
}

const itemsOf = (pack: AssembleReply, kind: string) => pack.items.filter((it) => it.kind === kind);

const tokensOf = (items: AssembleReply["items"]) =>
  items.reduce((sum, { tokens }) => sum + tokens, 0);

/** Whatever the cap: the failures stand there word for word, and the cap is kept. */
function claimKept(pack: AssembleReply, tokensMax: number): void {
  const failures = itemsOf(pack, "failure").map(({ text }) => text);
  same(failures, WORKING.failures, "both failures are in the pack, word for word");
  claim(pack.tokens <= tokensMax, `${pack.tokens} tokens are at most ${tokensMax}`);
}

async function packWhole(scene: Scene): Promise<Told> {
  const at = path`/v1/runs/${fact(scene, "run")}/working`;
  await fact(scene, "agent").ask("PUT", at, WORKING);
  const pack = await assemble(scene);
  claimKept(pack, pack.tokens_max);
  same(pack.left_out, [], "below the route's cap nothing is left out");
  same(itemsOf(pack, "scratch").length, WORKING.scratch.length, "scratch refs are in");
  same(itemsOf(pack, "slot").length, 2, "both slots are in");
  scene.facts.whole = pack;
  return {
    detail: `below the route's own cap: ${counted(pack.items.length, "line")}, ${pack.tokens} of ${pack.tokens_max} tokens`,
  };
}

async function dropScratch(scene: Scene): Promise<Told> {
  const whole = fact(scene, "whole");
  const tokensMax = whole.tokens - tokensOf(itemsOf(whole, "scratch"));
  const pack = await assemble(scene, tokensMax);
  claimKept(pack, tokensMax);
  const out = pack.left_out.map(({ kind }) => kind);
  same(out, ["scratch", "scratch"], "scratch refs go, and nothing else");
  return { detail: `cap ${tokensMax}: both scratch refs go, all turns and failures stay` };
}

async function dropTurns(scene: Scene): Promise<Told> {
  const whole = fact(scene, "whole");
  const turns = itemsOf(whole, "turn");
  const oldest = turns.slice(0, 4);
  const tokensMax = whole.tokens - tokensOf(itemsOf(whole, "scratch")) - tokensOf(oldest);
  const pack = await assemble(scene, tokensMax);
  claimKept(pack, tokensMax);
  const gone = pack.left_out.filter(({ kind }) => kind === "turn").flatMap(({ source }) => source);
  const oldestFirst = turns.slice(0, gone.length).flatMap(({ source }) => source);
  claim(gone.length > 0, "older turns go");
  same([...gone].sort(), [...oldestFirst].sort(), "the oldest turns go first");
  same(itemsOf(pack, "turn").at(-1)?.text, turns.at(-1)?.text, "the newest turn stays");
  const paired = itemsOf(pack, "turn").filter(({ label }) => / tool_(call|result) /.test(label));
  same(paired.length, 2, "the tool's call and its result stay together");
  const run = path`/v1/runs/${fact(scene, "run")}/pack`;
  await fact(scene, "agent").isRefused("cap_too_small", "POST", run, { tokens_max: 10 });
  scene.facts.pack = pack;
  return {
    detail: `cap ${tokensMax}: the ${counted(gone.length, "oldest turn")} go too; a cap of 10 is refused`,
  };
}

/** What the text of a pack calls its lines, by what each rests on. */
function namesIn(pack: AssembleReply): ReadonlyMap<string, string> {
  return new Map(
    pack.items.map(({ source, label }) => [String(source), label.split(" ", 1).join()]),
  );
}

async function showSources(scene: Scene): Promise<Told> {
  const pack = fact(scene, "pack");
  const at = path`/v1/packs/${pack.pack_id}`;
  const explained = await scene.cast.app.ask<ExplainPackReply>("GET", at);
  const inPack = explained.entries.filter((entry) => entry.in);
  same(
    inPack.map(({ source }) => source),
    pack.items.map(({ source }) => source),
    "the stored pack names the source of each line",
  );
  claim(
    inPack.every(({ source }) => source.length > 0),
    "no line is without a source",
  );
  same(explained.valid, true, "the pack may still be used");
  const names = namesIn(fact(scene, "whole"));
  const rows = explained.entries.map(({ kind, source, tokens, reason }) => {
    const id = shortSource(source);
    const name = names.get(String(source)) ?? kind;
    return [name, id === name ? "" : id, tokens === null ? "" : String(tokens), reason];
  });
  return {
    detail: `the pack below the cap of ${pack.tokens_max}: each of its ${inPack.length} lines has its source, each line left out its reason`,
    show: [plainLines(pack.text.trimEnd()), table(["line", "rests on", "tokens", "why"], rows)],
  };
}
