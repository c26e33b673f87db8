import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import stringWidth from "string-width";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUDIT_STEPS } from "../../src/cli/demo/steps/audit.js";
import { PACK_STEPS } from "../../src/cli/demo/steps/pack.js";
import { REFUSAL_STEPS } from "../../src/cli/demo/steps/refusals.js";
import { RUN_STEPS } from "../../src/cli/demo/steps/run.js";
import { SWITCH_STEPS } from "../../src/cli/demo/steps/switch.js";
import { tellStory } from "../../src/cli/demo/tell.js";
import { signDevToken } from "../../src/compose/dev-access.js";
import { temporaryDirectory } from "../setup/databases.js";
import { jsonLines, MunimentProcess, type Served } from "./muniment-process.js";

interface Told {
  readonly step?: string;
  readonly ok: boolean;
  readonly detail?: string;
  readonly failed?: number;
}

/** The part of the story that the broken services below break. */
const CHAT_STEPS = [...RUN_STEPS, ...PACK_STEPS, ...SWITCH_STEPS, ...REFUSAL_STEPS, ...AUDIT_STEPS];

/** A reply as a broken service would give it. */
type Alter = (path: string, body: Readonly<Record<string, unknown>>) => unknown;

interface Broken {
  /** Whom the service takes its callers for; absent, for whom they are. */
  readonly token?: string;
  readonly alter?: Alter;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** Stands between the story and the service, and breaks a guarantee. */
async function breakService(url: string, { token, alter }: Broken): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { method = "GET", headers } = request;
    const body = await bodyOf(request);
    const reply = await fetch(`${url}${request.url}`, {
      method,
      headers: {
        authorization: token === undefined ? (headers.authorization ?? "") : `Bearer ${token}`,
        ...(body === "" ? {} : { "content-type": "application/json" }),
      },
      ...(body === "" ? {} : { body }),
    });
    const said = await reply.json();
    const path = `${method} ${request.url}`;
    const shown =
      reply.ok && alter !== undefined
        ? alter(path, said as Readonly<Record<string, unknown>>)
        : said;
    response.writeHead(reply.status, { "x-request-id": reply.headers.get("x-request-id") ?? "" });
    response.end(JSON.stringify(shown));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  return server;
}

describe("demo", () => {
  let muniment: MunimentProcess;
  let dataDir: string;
  let served: Served;

  beforeAll(async () => {
    const home = await temporaryDirectory();
    muniment = new MunimentProcess(home);
    dataDir = join(home, "data");
    served = await muniment.serve(dataDir, "--demo");
  });

  afterAll(async () => {
    served.child.kill("SIGKILL");
    await served.ended;
  });

  it("serve --demo tells a story in which each step holds", () => {
    const told = served.before as readonly Told[];
    expect(told.filter(({ ok }) => !ok)).toEqual([]);
    expect(told.at(-1)).toEqual({ ok: true, failed: 0 });
    expect(told.length).toBeGreaterThan(15);
  });

  it("demo --json tells it again on the same data, one object a line", async () => {
    const { code, stdout, stderr } = await muniment.run("demo", "--json", "--data-dir", dataDir);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const told = jsonLines(stdout);
    expect(told.at(-1)).toEqual({ ok: true, failed: 0 });
    for (const line of told.slice(0, -1)) {
      expect(line).toEqual({ step: expect.any(String), ok: true, detail: expect.any(String) });
    }
    expect(told.map(({ step }) => step)).toEqual(
      (served.before as readonly Told[]).map(({ step }) => step),
    );
  });

  it("people see the pack with its sources and the audit rows behind it", async () => {
    const { stdout } = await muniment.run("demo", "--data-dir", dataDir);
    expect(stdout).toContain('source="slot:lookup"');
    expect(stdout).toMatch(/out: it doesn't fit below the\s+token cap/);
    // What the text of the pack calls a turn leads to what it rests on.
    expect(stdout).toContain('source="turn:5"');
    expect(stdout).toMatch(/^turn:5 +[0-9a-f]{12} +\d+ {2}in: /m);
    expect(stdout).toContain("8 turns kept");
    expect(stdout).not.toMatch(/\b[2-9] (?:turn|run|slot|failure|row)\b/);
    expect(stdout.split("\n").filter((line) => stringWidth(line) > 80)).toEqual([]);
    expect(stdout).toMatch(/assemble +allow +agent_works_in_its_run/);
    expect(stdout).toMatch(/All \d+ steps hold\./);
  });

  /** Steps that fail on a service that is broken in this way. */
  async function failedSteps(broken: Broken): Promise<readonly (string | undefined)[]> {
    const proxy = await breakService(served.url, broken);
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const lines: Told[] = [];
    const io = { out: (line: string) => void lines.push(JSON.parse(line)), err: () => undefined };
    const signToken = (claims: Parameters<typeof signDevToken>[1]) =>
      signDevToken({ dataDir }, claims);
    const failed = await tellStory({ url, signToken }, { io, json: true, steps: CHAT_STEPS });
    proxy.close();
    expect(lines.at(-1)).toEqual({ ok: failed === 0, failed });
    return lines.filter(({ step, ok }) => step !== undefined && !ok).map(({ step }) => step);
  }

  const without =
    (kind: string): Alter =>
    (path, body) =>
      path.endsWith("/pack")
        ? {
            ...body,
            items: (body.items as { kind: string }[]).filter((item) => item.kind !== kind),
          }
        : body;

  it("that part of the story holds on a service that isn't broken", async () => {
    expect(await failedSteps({})).toEqual([]);
  });

  it.each<[string, string[], Broken]>([
    [
      "loses failures from packs",
      ["pack", "cap_drops_scratch", "cap_drops_old_turns"],
      { alter: without("failure") },
    ],
    [
      "drops turns before scratch",
      ["cap_drops_scratch", "cap_drops_old_turns"],
      {
        alter: (path, body) =>
          path.endsWith("/pack")
            ? {
                ...body,
                left_out: (body.left_out as { kind: string }[]).map((out) => ({
                  ...out,
                  kind: "turn",
                })),
              }
            : body,
      },
    ],
    [
      "resumes at the first stage",
      ["resume"],
      { alter: (path, body) => (path.endsWith("/turn") ? { ...body, resume_index: 0 } : body) },
    ],
    [
      "forgets slots",
      ["stages", "resume", "follow_up"],
      { alter: (_, body) => ("slots" in body ? { ...body, slots: {} } : body) },
    ],
    [
      "lets a route's edit reach live pins",
      ["route_edit", "follow_up"],
      {
        alter: (_, body) =>
          "slots" in body ? { ...body, route_version: Number(body.route_version) + 1 } : body,
      },
    ],
    [
      "carries slots into another intent",
      ["new_intent"],
      {
        alter: (_, body) =>
          "slots" in body && body.route_id === "payment_initiate"
            ? { ...body, slots: { lookup: { amount: 30 } } }
            : body,
      },
    ],
    [
      "loses audit rows of refusals",
      ["audit_complete", "audit_rows"],
      {
        alter: (path, body) =>
          path.includes("/audit")
            ? {
                ...body,
                rows: (body.rows as { pep_verdict: string; operation: string }[]).filter(
                  (row) => row.pep_verdict === "allow" && row.operation !== "assemble",
                ),
              }
            : body,
      },
    ],
  ])("fails on a service that %s", async (_, steps, broken) => {
    expect(await failedSteps(broken)).toEqual(expect.arrayContaining(steps));
  });

  it("fails on a service that lets everybody in as the application", async () => {
    const claims = { kind: "service", roles: ["app", "operator"], tenant: "bank-au" } as const;
    const token = await signDevToken({ dataDir }, { id: "x", workspace: "default", ...claims });
    const failed = await failedSteps({ token });
    expect(failed).toEqual(
      expect.arrayContaining(["other_session", "other_customer", "other_bank"]),
    );
  });

  it("ends with 1 where a step fails", async () => {
    // Nobody may log in here, so no step can hold.
    const issuers = join(dataDir, "..", "issuers.json");
    const key = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
    const elsewhere = {
      issuer: "https://elsewhere.example",
      algorithms: ["EdDSA"],
      jwks: { keys: [key] },
      tenants: ["elsewhere"],
      kinds: ["service"],
    };
    writeFileSync(issuers, JSON.stringify([elsewhere]));
    const closed = new MunimentProcess(join(dataDir, ".."), { MUNIMENT_ISSUERS_FILE: issuers });
    const { code, stderr } = await closed.run("demo", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: "unauthenticated" } });
  });
});
