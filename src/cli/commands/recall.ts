import { Command } from "commander";
import { LIMITS } from "../../domain/limits.js";
import type { RecallHitReply, RecallReply } from "../../services/recall-turns.js";
import { path } from "../client.js";
import type { Io } from "../io.js";
import { type TenantOptions, wholeNumber, withTenant } from "../options.js";
import { ownRun } from "../own-run.js";
import { withClient } from "../service.js";
import { shortSource } from "../source.js";
import { plain, table } from "../table.js";

interface RecallOptions extends TenantOptions {
  readonly subject: string;
  readonly route: string;
  readonly query: string;
  readonly limit: number;
  readonly why?: boolean;
}

/** Enough to know a turn by: --json has all of it. */
const SAID_CHARS_MAX = 300;

const MORE = `
The route says what may be recalled, and when: routes/chat.yaml recalls at any time.`;

export function recallCommand(io: Io): Command {
  return withTenant(
    new Command("recall")
      .description("find what was said about a subject")
      .requiredOption("--subject <id>", "whose memory is searched")
      .requiredOption("--route <id>", "route whose profile allows it")
      .requiredOption("--query <text>", "what to look for")
      .option("--limit <n>", "hits at most", wholeNumber(0, LIMITS.recallHitsMax), 10)
      .option("--why", "show what each score is made of"),
  )
    .addHelpText("after", MORE)
    .action(async (options: RecallOptions) => {
      const reply = await withClient({ options, role: "app", io }, async (client) => {
        const run = await ownRun(client, options);
        const body = { query: options.query, limit: options.limit };
        return client.call<RecallReply>("POST", path`/v1/runs/${run}/recall`, body);
      });
      if (options.json) io.out(JSON.stringify(reply));
      else show(reply, options, io);
    });
}

function show(reply: RecallReply, { subject, tenant, why = false }: RecallOptions, io: Io): void {
  const { hits, coverage, fallback, outcome, next_step } = reply;
  if (fallback === "recent") io.err("nothing in the question to search by: the newest turns");
  if (hits.length > 0) {
    const head = ["score", "speaker", "time", "said", "source", ...(why ? ["why"] : [])];
    io.out(
      table(
        head,
        hits.map((hit) => rowOf(hit, why)),
      ),
    );
  }
  const { searched, of, capped, pending } = coverage;
  if (of === 0) {
    io.err(`${outcome}: nothing is kept for subject ${plain(subject)} of tenant ${plain(tenant)}`);
    io.err("check --subject, --tenant and --workspace, and which routes the route recalls from");
    return;
  }
  const limits = [
    ...(capped ? ["older ones left out"] : []),
    ...(pending > 0 ? [`${pending} pending`] : []),
  ];
  io.err([`${outcome}: searched ${searched} of ${of} turns`, ...limits].join(", "));
  io.err(next_step);
}

function rowOf(hit: RecallHitReply, withWhy: boolean): readonly string[] {
  const { score, speaker, role, observed_at, text, turn_id, source, why } = hit;
  const parts = Object.entries(why).map(([name, part]) => `${name} ${part.toFixed(2)}`);
  return [
    score.toFixed(2),
    speaker ?? role,
    observed_at.slice(0, 16).replace("T", " "),
    plain(text, SAID_CHARS_MAX),
    [shortSource([turn_id]), ...(source.source_id === null ? [] : [source.source_id])].join(" "),
    ...(withWhy ? [parts.join(" ")] : []),
  ];
}
