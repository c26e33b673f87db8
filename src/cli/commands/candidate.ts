import { Command } from "commander";
import type { PromoteReply } from "../../services/decided-candidate.js";
import type { CandidateReply, ListCandidatesReply } from "../../services/list-candidates.js";
import { idByEnd } from "../by-end.js";
import { type Client, path } from "../client.js";
import type { Io } from "../io.js";
import { noCandidate, orMissing } from "../missing.js";
import { type TenantOptions, withTenant } from "../options.js";
import { everyPage } from "../pages.js";
import { withClient } from "../service.js";
import { shortId } from "../source.js";
import { records } from "../table.js";

interface DecideOptions extends TenantOptions {
  readonly as: string;
  readonly hash: string;
}

const MORE = `
A decision counts for the value whose hash it names, as the list shows it.
With a development token it is yours alone by --as: in a deployment people
decide with their own credentials.`;

export function candidateCommand(io: Io): Command {
  const list = withTenant(
    new Command("list").description("show the values that wait for a decision, oldest first"),
  ).action((options: TenantOptions) => listCandidates(options, io));
  return new Command("candidate")
    .description("review values that were proposed for the store")
    .addCommand(list)
    .addCommand(decision("approve", "write a candidate's value, for exactly what you saw", io))
    .addCommand(decision("reject", "turn a candidate down", io));
}

function decision(verb: "approve" | "reject", description: string, io: Io): Command {
  return withTenant(
    new Command(verb)
      .description(description)
      .argument("<candidate>", "id of the candidate")
      .requiredOption("--hash <hash>", "hash of the value that you saw")
      .requiredOption("--as <name>", "who you are"),
  )
    .addHelpText("after", MORE)
    .action(async (candidate: string, options: DecideOptions) => {
      const role = { reviewer: options.as };
      const reply = await withClient({ options, role, io }, async (client) => {
        const id = await idByEnd(candidate, async () =>
          (await waiting(client)).map(({ candidate_id }) => candidate_id),
        );
        return orMissing(
          client.call<Pick<PromoteReply, "field_id"> & { readonly state: string }>(
            "POST",
            `${path`/v1/candidates/${id}`}/${verb}`,
            { value_hash: options.hash },
          ),
          noCandidate(options),
        );
      });
      if (options.json) io.out(JSON.stringify(reply));
      else io.out(`${reply.field_id} ${said(reply.state)}`);
    });
}

function waiting(client: Client): Promise<readonly CandidateReply[]> {
  return everyPage(client, "/v1/candidates", (page: ListCandidatesReply) => page.candidates);
}

function said(state: string): string {
  return state === "approved" ? "approved: a second person has to approve it too" : state;
}

async function listCandidates(options: TenantOptions, io: Io): Promise<void> {
  const candidates = await withClient({ options, role: "operator", io }, waiting);
  if (options.json) {
    for (const candidate of candidates) io.out(JSON.stringify(candidate));
    return;
  }
  if (candidates.length === 0) io.err("nothing waits for a decision");
  else io.out(records(HEAD, candidates.map(rowOf)));
}

const HEAD = ["candidate", "proposes", "about", "says", "state", "hash"];

function rowOf(candidate: CandidateReply): readonly string[] {
  const { candidate_id, field_id, value, value_hash, origin, state, subject } = candidate;
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  const run = candidate.run_state === null ? "" : `, in a run that is ${candidate.run_state}`;
  return [
    shortId(candidate_id),
    value === null ? `no ${field_id} any more` : `${field_id} = ${shown}`,
    subject,
    `${origin}, by ${shortId(candidate.proposed_by)}${run}`,
    state,
    value_hash,
  ];
}
