import type { TokenClaims } from "../../compose/dev-access.js";
import type { ErrorKind } from "../../domain/errors.js";
import { Client, kindOf } from "../client.js";
import { DEMO_TENANT, OTHER_TENANT } from "./bank.js";
import { claim } from "./claim.js";
import { CLINIC_TENANT } from "./clinic.js";

/** One request of the story, to be found again in the audit trail. */
export interface JournalEntry {
  readonly tenant: string;
  readonly requestId: string;
  readonly refusal: ErrorKind | null;
}

type Method = "GET" | "POST" | "PUT";

/** A caller with a real token. Whatever it asks for is written down. */
export class Actor {
  readonly #client: Client;
  readonly #tenant: string;
  readonly #journal: JournalEntry[];

  constructor(client: Client, tenant: string, journal: JournalEntry[]) {
    this.#client = client;
    this.#tenant = tenant;
    this.#journal = journal;
  }

  async ask<Body>(method: Method, at: string, body?: unknown): Promise<Body> {
    const reply = await this.#client.send<Body>(method, at, body);
    this.#note(reply.requestId, null);
    return reply.body;
  }

  /** Claims that the service refuses this, in this way. */
  async isRefused(kind: ErrorKind, method: Method, at: string, body?: unknown): Promise<void> {
    const reply = await this.#client.ask(method, at, body);
    claim(reply.status >= 400, `${method} was to be refused as ${kind}, and was answered`);
    const found = kindOf(reply.body);
    claim(found === kind, `${method} was to be refused as ${kind}, and was as ${found}`);
    this.#note(reply.requestId, kind);
  }

  #note(requestId: string, refusal: ErrorKind | null): void {
    this.#journal.push({ tenant: this.#tenant, requestId, refusal });
  }
}

/** A tenant of its own: nobody of the banks is in it. */
export interface ClinicCast {
  readonly app: Actor;
  readonly operator: Actor;
  /** Staff who talk about patients. */
  readonly nurse: Actor;
  /** The system that holds the records. */
  readonly connector: Actor;
}

export interface Cast {
  /** The bank's application. */
  readonly app: Actor;
  /** The bank's operator. */
  readonly operator: Actor;
  /** The other bank's application, and its operator. */
  readonly otherApp: Actor;
  readonly otherOperator: Actor;
  /** Jane herself, in the bank's own settings page. */
  readonly jane: Actor;
  /** Who answers for privacy. */
  readonly privacy: Actor;
  /** One of the bank's people, who decides what becomes a fact. */
  readonly reviewer: Actor;
  /** The same Jane, with a credential for her second chat alone. */
  readonly janeInB: Actor;
  /** Another customer of the same bank. */
  readonly tom: Actor;
  readonly clinic: ClinicCast;
  /** The agent of a run, with the token that came with the run. */
  agent(runToken: string): Actor;
}

/** Where the story is told. */
export interface Stage {
  readonly url: string;
  signToken(claims: TokenClaims): Promise<string>;
}

export async function gatherCast(
  { url, signToken }: Stage,
  { sessionB, tom }: { readonly sessionB: string; readonly tom: string },
  journal: JournalEntry[],
): Promise<Cast> {
  const actor = async (tenant: string, who: Omit<TokenClaims, "tenant" | "workspace">) => {
    const token = await signToken({ ...who, tenant, workspace: "default" });
    return new Actor(new Client(url, token), tenant, journal);
  };
  const service = (tenant: string, role: string) =>
    actor(tenant, { id: `demo-${role}`, kind: "service", roles: [role] });
  const customer = (subject: string, session?: string) =>
    actor(DEMO_TENANT, {
      id: subject,
      kind: "human",
      roles: [],
      subject,
      ...(session !== undefined && { session }),
    });
  return {
    app: await service(DEMO_TENANT, "app"),
    operator: await service(DEMO_TENANT, "operator"),
    otherApp: await service(OTHER_TENANT, "app"),
    otherOperator: await service(OTHER_TENANT, "operator"),
    jane: await customer("jane"),
    privacy: await actor(DEMO_TENANT, { id: "petra", kind: "human", roles: ["privacy_officer"] }),
    reviewer: await actor(DEMO_TENANT, { id: "rita", kind: "human", roles: ["reviewer"] }),
    janeInB: await customer("jane", sessionB),
    tom: await customer(tom),
    clinic: {
      app: await service(CLINIC_TENANT, "app"),
      operator: await service(CLINIC_TENANT, "operator"),
      nurse: await actor(CLINIC_TENANT, { id: "kim", kind: "human", roles: ["supervisor"] }),
      connector: await service(CLINIC_TENANT, "connector"),
    },
    agent: (runToken) => new Actor(new Client(url, runToken), DEMO_TENANT, journal),
  };
}
