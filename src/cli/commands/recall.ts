import { Command } from "commander";
import { LIMITS } from "../../domain/limits.js";
import type { ObservationHitReply, SourcedHitReply } from "../../services/observation-hits.js";
import type { RecallObservationsReply } from "../../services/recall-observations.js";
import type { RecallHitReply, RecallReply } from "../../services/recall-turns.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { oneOf, type TenantOptions, wholeNumber, withTenant } from "../options.js";
import { ownRun } from "../own-run.js";
import { withClient } from "../service.js";
import { shortSource } from "../source.js";
import { plain, table } from "../table.js";
import { timeOf } from "../time.js";

interface RecallOptions extends TenantOptions {
  readonly subject: string;
  readonly route: string;
  readonly query: string;
  readonly limit: number;
  readonly scope: "turns" | "observations" | "both";
  readonly mode: "ranked" | "phrase";
  readonly dimension?: string;
  readonly why?: boolean;
}

const SCOPES = ["turns", "observations", "both"];
const MODES = ["ranked", "phrase"];

type Reply = RecallReply | RecallObservationsReply;
type Coverage = RecallReply["coverage"];
type HitReply = RecallHitReply | ObservationHitReply | SourcedHitReply;

/** Enough to know a turn by: --json has all of it. */
const SAID_CHARS_MAX = 300;

const MORE = `
The route says what may be recalled, and when: routes/chat.yaml recalls at any
time.`;

export function recallCommand(io: Io): Command {
  return withTenant(
    new Command("recall")
      .description("find what was said about a subject")
      .requiredOption("--subject <id>", "whose memory is searched")
      .requiredOption("--route <id>", "route whose profile allows it")
      .requiredOption("--query <text>", "what to look for")
      .option("--limit <n>", "hits at most", wholeNumber(0, LIMITS.recallHitsMax), 10)
      .addOption(
        oneOf("--scope <scope>", "what was said, what was observed, or both", SCOPES).default(
          "turns",
        ),
      )
      .option("--dimension <id>", "observations of one dimension alone")
      .addOption(
        oneOf(
          "--mode <mode>",
          "by likeliest meaning, or by plain words, newest first",
          MODES,
        ).default("ranked"),
      )
      .option("--why", "show what each score is made of"),
  )
    .addHelpText("after", MORE)
    .action(async (options: RecallOptions) => {
      const reply = await withClient({ options, role: "app", io }, async (client) => {
        const run = await ownRun(client, options);
        const { query, limit, mode, scope, dimension } = options;
        const body = { query, limit, mode };
        if (scope === "turns" && dimension === undefined)
          return client.call<RecallReply>("POST", path`/v1/runs/${run}/recall`, body);
        return client.call<RecallObservationsReply>(
          "POST",
          path`/v1/runs/${run}/recall-observations`,
          { ...body, scope, ...(dimension !== undefined && { dimension }) },
        );
      });
      if (options.json) io.out(JSON.stringify(reply));
      else show(reply, options, io);
    });
}

function show(reply: Reply, { subject, route, why = false }: RecallOptions, io: Io): void {
  const { hits, fallback, outcome, next_step } = reply;
  if (fallback === "recent") io.err("nothing in the question to search by: the newest are shown");
  if (hits.length > 0) {
    const head = ["score", "said", "by", ...(why ? ["why"] : [])];
    const rows = hits.map((hit) => rowOf(hit, why));
    io.out(table(head, rows));
  }
  const searched = coveragesOf(reply);
  if (searched.every(([, { of }]) => of === 0)) {
    io.err(`${outcome}: nothing of ${plain(subject)} is kept that route ${plain(route)} may read`);
    io.err("see which routes it recalls from: muniment route list");
    return;
  }
  io.err(`${outcome}: searched ${searched.map(shownCoverage).join("; ")}`);
  io.err(next_step);
}

function coveragesOf({ coverage }: Reply): readonly (readonly [string, Coverage])[] {
  if ("searched" in coverage) return [["turns", coverage]];
  const { observations, turns } = coverage;
  return [
    ...(observations === null ? [] : [["observations", observations] as const]),
    ...(turns === null ? [] : [["turns", turns] as const]),
  ];
}

function shownCoverage([name, { searched, of, capped, pending }]: readonly [
  string,
  Coverage,
]): string {
  return [
    `${searched} of ${of} ${name}`,
    ...(capped ? ["older ones left out"] : []),
    ...(pending > 0 ? [`${pending} pending`] : []),
  ].join(", ");
}

function rowOf(hit: HitReply, withWhy: boolean): readonly string[] {
  const { score, speaker, observed_at, why } = hit;
  const parts = Object.entries(why).map(([name, part]) => `${name} ${part.toFixed(2)}`);
  return [
    score.toFixed(2),
    `${plain(hit.text, SAID_CHARS_MAX)}${remarkOf(hit)}`,
    `${speaker ?? ("role" in hit ? hit.role : "observed")}, ${timeOf(observed_at)}, ${sourceOf(hit)}`,
    ...(withWhy ? [parts.join(" ")] : []),
  ];
}

/** What an observation is of, what was observed of a turn, and whether that was corrected since. */
function remarkOf(hit: HitReply): string {
  if (!("kind" in hit)) return "";
  const observed = hit.kind === "observation" ? [hit] : hit.derived;
  const marks = observed.map(
    ({ dimension, superseded_by }) =>
      `${dimension}${superseded_by === null ? "" : ", corrected since"}`,
  );
  return marks.map((mark) => ` [${mark}]`).join("");
}

function sourceOf(hit: HitReply): string {
  if ("observation_id" in hit) return shortSource([hit.observation_id]);
  const { turn_id, source } = hit;
  return [shortSource([turn_id]), ...(source.source_id === null ? [] : [source.source_id])].join(
    " ",
  );
}
