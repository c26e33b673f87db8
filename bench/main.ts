import { writeFileSync } from "node:fs";
import { LIMITS } from "../src/domain/limits.js";
import { addCrowd } from "./crowd.js";
import { LangGraphBench } from "./langgraph.js";
import { type Case, measureSideBySide } from "./measure.js";
import { HISTORY, HITS, MunimentBench, SLOTS, TURNS } from "./muniment.js";
import { machineOf, type Report, reportOf } from "./report.js";
import { type Server, startServer } from "./server.js";
import { tableOf } from "./table.js";
import { openUnits } from "./units.js";

const USAGE = "usage: npm run -s bench -- [--quick] [--json] [--only NAME[,NAME]]\n";
const RESULTS = new URL("results.json", import.meta.url);
const WORKERS = [1, LIMITS.poolConnectionsMax];
/** Closed sessions of one person: half a year of weekly calls. */
const EPISODES = 30;

interface Size {
  /** Operations of each case. */
  readonly n: number;
  /** Operations of the slow ones: cold recalls, and searches that read all rows of a person. */
  readonly nSlow: number;
  readonly crowd: number;
  /** Erasures: each needs somebody with a thousand turns first. */
  readonly erasures: number;
  /** People with a cold index, one a worker. */
  readonly coldPeople: number;
  /** Turns of the person who has said most; 0 where that takes too long to fill. */
  readonly longest: number;
}

const FULL: Size = {
  n: 500,
  nSlow: 50,
  crowd: 1_000_000,
  erasures: 20,
  coldPeople: 16,
  longest: 60_000,
};
const QUICK: Size = { n: 50, nSlow: 3, crowd: 20_000, erasures: 1, coldPeople: 1, longest: 0 };

/** Recalls without an index in memory, by the turns of the person. */
const COLD = [
  { name: "recall_600_cold", turns: 600 },
  { name: "recall_6000_cold", turns: 6_000 },
] as const;

function coldPeople(name: string, { coldPeople: count }: Size): readonly string[] {
  return Array.from({ length: count }, (_, worker) => `${name} ${worker}`);
}

/** Whether a row of the report is asked for. */
type Wants = (...names: readonly string[]) => boolean;

async function bench(
  server: Server,
  size: Size,
  wants: Wants,
  say: (line: string) => void,
): Promise<Report> {
  let flushes = 0;
  const onFlush = () => {
    flushes += 1;
  };
  say("filling the databases");
  const units = await openUnits(server, LIMITS.poolConnectionsMax);
  const opened = await server.openMuniment("muniment", onFlush);
  const alone = new MunimentBench(opened, () => flushes);
  await alone.prepareRoute();
  if (wants("recall_600")) await alone.addHistory("six-hundred", 600);
  if (wants("recall_6000")) await alone.addHistory("six-thousand", 6_000);
  const cold = COLD.filter(({ name }) => wants(name));
  for (const { name, turns } of cold)
    for (const person of coldPeople(name, size)) await alone.addHistory(person, turns);
  const isLong = size.longest > 0 && wants("recall_60000", "recall_60000_cold");
  if (isLong) await alone.addHistory("sixty-thousand", size.longest);
  if (wants("recall_episodes")) await alone.addEpisodes("thirty-episodes", EPISODES);
  await alone.sealSegments();
  await alone.settleTables();
  const crowded = await openCrowded(server, size, wants, { onFlush, trips: () => flushes, say });
  const crowdedCold = cold.map(({ name }) =>
    alone.recallCold(name, coldPeople(name, size), size.nSlow),
  );
  const slow = [
    ...(isLong ? [alone.recallCold("recall_60000_cold", ["sixty-thousand"], size.nSlow)] : []),
    alone.erase("erase_1000", size.erasures),
    ...crowded.map((one) => one.erase("erase_1000_crowded", size.erasures)),
  ];
  const cases: readonly Case[] = [
    ...alone.cases(size.n),
    alone.recall("recall_600", "six-hundred", size.n),
    ...crowded.map((one) => one.recall("recall_600_crowded", "six-hundred", size.n)),
    alone.recall("recall_6000", "six-thousand", size.n),
    ...(isLong ? [alone.recall("recall_60000", "sixty-thousand", size.n)] : []),
    alone.recallEpisodes("recall_episodes", "thirty-episodes", size.n),
    ...(await langgraphCases(server, size, wants)),
  ];
  const wanted = [...units(size.n), ...cases.filter(({ name }) => wants(name))];
  const measured = new Map();
  for (const workers of WORKERS) {
    say(`measuring with ${workers} worker${workers === 1 ? "" : "s"}`);
    const warm = await measureSideBySide(wanted, workers);
    // Last: an index that was dropped is cold for the warm cases too.
    const others = [
      ...(workers <= size.coldPeople ? crowdedCold : []),
      ...slow.filter(({ name }) => workers === 1 && wants(name)),
    ];
    measured.set(workers, new Map([...warm, ...(await measureSideBySide(others, workers))]));
  }
  return reportOf(measured, machineOf(server.version, size.crowd), notesOf(server, size));
}

/** Muniment in a database with many others; none where nothing is asked of it. */
async function openCrowded(
  server: Server,
  { crowd }: Size,
  wants: Wants,
  { onFlush, trips, say }: { onFlush(): void; trips(): number; say(line: string): void },
): Promise<readonly MunimentBench[]> {
  if (!wants("recall_600_crowded", "erase_1000_crowded")) return [];
  const opened = await server.openMuniment("crowded", onFlush);
  const crowded = new MunimentBench(opened, trips);
  await crowded.prepareRoute();
  await crowded.addHistory("six-hundred", 600);
  await crowded.sealSegments();
  await addCrowd(opened.owner, crowd, say);
  await crowded.settleTables();
  return [crowded];
}

async function langgraphCases(
  server: Server,
  { n, nSlow }: Size,
  wants: Wants,
): Promise<readonly Case[]> {
  const langgraph = await LangGraphBench.open(server, LIMITS.poolConnectionsMax);
  if (wants("recall_600")) await langgraph.addHistory("six-hundred", 600);
  if (wants("recall_6000")) await langgraph.addHistory("six-thousand", 6_000);
  return [
    ...langgraph.cases(n),
    langgraph.recall("recall_600", "six-hundred", nSlow),
    langgraph.recall("recall_6000", "six-thousand", nSlow),
  ];
}

function notesOf({ hasVectors }: Server, { crowd }: Size): readonly string[] {
  return [
    `one run on one server; systems alternate in blocks of 50 operations; a cold recall has no index in memory, and each worker a person of its own; erasures and the longest history have one worker`,
    "muniment: identity, policy, sealing and audit on; langgraph: none of them",
    `assemble: ${TURNS} turns and ${SLOTS} slots; agent_turn: the same with up to 18 turns and 9 slots more, then one complete_stage with two turns, output and checkpoint; agent_turn_recall: the same with ${HITS} recalled of ${HISTORY + TURNS} to ${HISTORY + TURNS + 18} turns`,
    "langgraph: append_turn is store.put; complete_stage is put (2 channels) and putWrites (2); resume_turn is getTuple; recall is store.search; agent_turn is getTuple, search, get, put (3 channels) and putWrites (2), the peer of both agent turns",
    `langgraph's store searches by text: ${hasVectors ? "vectors weren't tried" : "this server has no pgvector"}; its recall wasn't measured in a crowd`,
    `recall_episodes: ${HITS} of ${EPISODES} episodes of one person`,
    `recall_600_crowded: ${crowd} turns of other subjects in the table, every tenth subject of the same tenant`,
  ];
}

async function main(parameters: readonly string[]): Promise<number> {
  const only = namesAfter(parameters, "--only");
  const flags = only === null ? parameters : parameters.toSpliced(parameters.indexOf("--only"), 2);
  if (only?.length === 0 || flags.some((one) => one !== "--quick" && one !== "--json")) {
    process.stderr.write(USAGE);
    return 2;
  }
  const isQuick = flags.includes("--quick");
  const asJson = flags.includes("--json");
  const wants: Wants = (...names) => only === null || names.some((name) => only.includes(name));
  const server = await startServer();
  try {
    const report = await bench(server, isQuick ? QUICK : FULL, wants, (line) =>
      process.stderr.write(asJson ? "" : `${line}\n`),
    );
    // A part of a run is no record.
    if (!isQuick && only === null) writeFileSync(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
    process.stdout.write(asJson ? `${JSON.stringify(report)}\n` : tableOf(report));
    return 0;
  } finally {
    await server.stop();
  }
}

/** Null where the flag isn't there. */
function namesAfter(parameters: readonly string[], flag: string): readonly string[] | null {
  const at = parameters.indexOf(flag);
  if (at < 0) return null;
  return (parameters[at + 1] ?? "").split(",").filter((name) => name !== "");
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const cause =
    error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  process.stderr.write(
    `bench: ${error instanceof Error ? error.message : String(error)}${cause}\n`,
  );
  process.exitCode = 1;
}
