import { Command } from "commander";
import type { TokenClaims } from "../../compose/dev-access.js";
import { LIMITS } from "../../domain/limits.js";
import { ROLES } from "../../domain/principal.js";
import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import {
  oneOf,
  placeOf,
  repeated,
  type TenantOptions,
  wholeNumber,
  withTenant,
} from "../options.js";

interface DevTokenOptions extends TenantOptions {
  readonly id: string;
  readonly kind: TokenClaims["kind"];
  readonly role?: readonly string[];
  readonly subject?: string;
  readonly session?: string;
  readonly run?: string;
  readonly seconds: number;
}

const KINDS = ["service", "human", "agent"] as const satisfies readonly TokenClaims["kind"][];

const MORE = `
The service takes it while it listens on loopback and has no
MUNIMENT_ISSUERS_FILE. Roles of a service: app, reader, operator,
privacy_officer, release, evaluator, reconcile, librarian, connector,
settings, billing, control_plane. Of a human: operator, supervisor, reviewer,
privacy_officer. A human with --subject needs none for that subject.`;

/** What would be signed, and then let in nowhere. */
function refuseUseless({ kind, subject, session, run, role = [] }: DevTokenOptions): void {
  if (session !== undefined && subject === undefined)
    throw new UsageError("--session needs --subject: a session belongs to one");
  if (run !== undefined && kind !== "agent")
    throw new UsageError("--run is for --kind agent: others name the run that they act on");
  if (kind === "agent" && run === undefined)
    throw new UsageError("--kind agent needs --run: an agent acts in one run");
  if (kind === "agent" && role.length > 0)
    throw new UsageError("--kind agent has no roles: its run decides what it may do");
  const known: readonly string[] = ROLES;
  if (role.some((name) => !known.includes(name)))
    throw new UsageError(`--role is one of: ${ROLES.join(", ")}`);
}

export function devTokenCommand(io: Io): Command {
  return withTenant(
    new Command("dev-token")
      .description("sign a development token with the data directory's key")
      .option("--id <id>", "id of the caller", "dev")
      .addOption(oneOf("--kind <kind>", "kind of the caller", KINDS).default("service"))
      .option("--role <role>", `role, may be given several times: ${ROLES.join(", ")}`, repeated)
      .option("--subject <id>", "bind it to one subject")
      .option("--session <id>", "bind it to one session of that subject")
      .option("--run <id>", "bind it to one run")
      .option(
        "--seconds <n>",
        "lifetime",
        wholeNumber(1, LIMITS.tokenSecondsMax),
        LIMITS.tokenSecondsMax,
      ),
  )
    .addHelpText("after", MORE)
    .action(async (options: DevTokenOptions) => {
      refuseUseless(options);
      const { signDevToken } = await import("../../compose/dev-access.js");
      const { id, kind, role = [], tenant, workspace, subject, session, run, seconds } = options;
      const claims = {
        id,
        kind,
        roles: role,
        tenant,
        workspace,
        ...(subject !== undefined && { subject }),
        ...(session !== undefined && { session }),
        ...(run !== undefined && { run }),
      };
      const token = await signDevToken(placeOf(options), claims, seconds);
      if (kind === "service" && role.length === 0) {
        io.err("warning: a service without a role reaches nothing: add --role app");
      }
      io.out(options.json ? JSON.stringify({ token, seconds }) : token);
    });
}
