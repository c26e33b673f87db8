import { Command } from "commander";
import type { RunningService } from "../../compose/serve.js";
import { DEMO_TENANT } from "../demo/bank.js";
import { tellStory } from "../demo/tell.js";
import type { Io } from "../io.js";
import { type PlaceOptions, placeOf, wholeNumber, withPlace } from "../options.js";
import { stopSignal } from "../stop-signal.js";

interface ServeOptions extends PlaceOptions {
  readonly host?: string;
  readonly port?: number;
  readonly demo?: boolean;
}

export function serveCommand(io: Io): Command {
  return withPlace(
    new Command("serve")
      .description("start the service and stay up")
      .option("--demo", "load the demo tenant and tell its story first")
      .option("--host <host>", "address to listen on (or MUNIMENT_HOST; 127.0.0.1)")
      .option(
        "--port <port>",
        "port, 0 for a free one (or MUNIMENT_PORT; 7700)",
        wholeNumber(0, 65_535),
      ),
  ).action((options: ServeOptions) => serve(options, io));
}

async function serve(options: ServeOptions, io: Io): Promise<void> {
  const { host, port, demo = false, json = false } = options;
  // Heard from the start: who stops a service that is still opening stops it all the same.
  const stop = stopSignal();
  if (!json) io.err("starting…");
  const { startService } = await import("../../compose/serve.js");
  const service = await startService(
    {
      ...placeOf(options),
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
    },
    { announce: true, logLevelDefault: demo ? "warn" : "info" },
  );
  try {
    const { signToken } = service;
    if (demo && signToken !== null) {
      await tellStory({ url: service.url, signToken }, { io, json });
    } else if (demo) {
      io.err("warning: no story: this service takes no development tokens");
    }
    await introduce(service, { tenant: demo ? DEMO_TENANT : "default", json, io });
    await stop;
  } finally {
    await service.stop();
    if (!json) io.err("stopped");
  }
}

interface Introduction {
  readonly tenant: string;
  readonly json: boolean;
  readonly io: Io;
}

/** Says where the service is, where its data and key are, and how to be let in. */
async function introduce(
  service: RunningService,
  { tenant, json, io }: Introduction,
): Promise<void> {
  const { url, settings, warnings, replayed } = service;
  const claims = {
    id: "dev",
    kind: "service",
    roles: ["app", "operator"],
    tenant,
    workspace: "default",
  } as const;
  const token = service.signToken && (await service.signToken(claims));
  const keyFile = settings.masterKey === undefined ? settings.masterKeyFile : null;
  if (json) {
    const place = { data_dir: settings.dataDir, master_key_file: keyFile };
    io.out(JSON.stringify({ url, pid: process.pid, ...place, tenant, token, warnings, replayed }));
    return;
  }
  for (const warning of warnings) io.err(`warning: ${warning}`);
  if (replayed !== null) io.err(replayed);
  const lines = [
    "",
    `Muniment listens on ${url}`,
    `  data        ${settings.databaseUrl === undefined ? settings.dataDir : "PostgreSQL (MUNIMENT_DATABASE_URL)"}`,
    `  master key  ${keyFile ?? "from the environment"} (keep a copy, apart from the data)`,
    ...(token === null
      ? []
      : [
          `  token       development, one hour, tenant ${tenant}, roles app and operator:`,
          "",
          token,
        ]),
    "",
    "Ctrl-C stops it.",
  ];
  for (const line of lines) io.out(line);
}
