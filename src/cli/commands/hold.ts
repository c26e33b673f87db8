import { Command } from "commander";
import { ERASURE_BASES, HOLD_SCOPES } from "../../domain/erasure.js";
import type { PlaceHoldBody } from "../../services/erasure-bodies.js";
import type { ListHoldsReply } from "../../services/list-holds.js";
import type { PlaceHoldReply } from "../../services/place-hold.js";
import type { ReleaseHoldReply } from "../../services/release-hold.js";
import { idByEnd } from "../by-end.js";
import { type Client, path } from "../client.js";
import type { Io } from "../io.js";
import { noHold, noTarget, orMissing } from "../missing.js";
import { oneOf, type TenantOptions, withTenant } from "../options.js";
import { everyPage } from "../pages.js";
import { withClient } from "../service.js";
import { shortId } from "../source.js";
import { table } from "../table.js";
import { timeOf } from "../time.js";

type PlaceHoldOptions = TenantOptions & PlaceHoldBody;

export function holdCommand(io: Io): Command {
  return new Command("hold")
    .description("forbid to forget something until that ends: a legal hold")
    .addCommand(placeCommand(io))
    .addCommand(releaseCommand(io))
    .addCommand(listCommand(io));
}

function placeCommand(io: Io): Command {
  return withTenant(
    new Command("place")
      .description("hold a person's memory, or something of it")
      .argument("<subject>", "whose memory")
      .addOption(oneOf("--covers <scope>", "what it covers", HOLD_SCOPES).default("subject"))
      .option("--target <id>", "which session, run, source or turn")
      .addOption(
        oneOf("--basis <basis>", "what obliges to it", ERASURE_BASES).default("legal_duty"),
      ),
  ).action(
    async (
      subject: string,
      { covers = "subject", target, basis, ...options }: PlaceHoldOptions,
    ) => {
      const body = { covers, basis, ...(target === undefined ? {} : { target }) };
      const { decision: _, ...hold } = await withClient(
        { options, role: "privacy_officer", io },
        (client) =>
          orMissing(
            client.call<PlaceHoldReply>("POST", path`/v1/subjects/${subject}/holds`, body),
            noTarget(subject, covers, options),
          ),
      );
      io.out(options.json ? JSON.stringify(hold) : `hold ${hold.hold_id} stands`);
    },
  );
}

function releaseCommand(io: Io): Command {
  return withTenant(
    new Command("release").description("end a hold").argument("<hold>", "id of the hold"),
  ).action(async (hold: string, options: TenantOptions) => {
    const { decision: _, ...released } = await withClient(
      { options, role: "privacy_officer", io },
      async (client) => {
        const id = await idByEnd(hold, async () =>
          (await readHolds(client)).map(({ hold_id }) => hold_id),
        );
        return orMissing(
          client.call<ReleaseHoldReply>("POST", path`/v1/holds/${id}/release`),
          noHold(options),
        );
      },
    );
    io.out(options.json ? JSON.stringify(released) : `hold ${released.hold_id} has ended`);
  });
}

function listCommand(io: Io): Command {
  return withTenant(new Command("list").description("show the holds that stand")).action(
    async (options: TenantOptions) => {
      const holds = await withClient({ options, role: "privacy_officer", io }, readHolds);
      if (options.json) io.out(JSON.stringify({ holds }));
      else if (holds.length === 0) io.out("no holds");
      else
        io.out(
          table(
            ["hold", "covers", "subject", "target", "basis", "since"],
            holds.map((hold) => [
              shortId(hold.hold_id),
              hold.covers,
              hold.subject ?? shortId(hold.subject_id),
              shortId(hold.target),
              hold.basis,
              timeOf(hold.placed_at),
            ]),
          ),
        );
    },
  );
}

function readHolds(client: Client): Promise<ListHoldsReply["holds"]> {
  return everyPage(client, "/v1/holds", (page: ListHoldsReply) => page.holds);
}
