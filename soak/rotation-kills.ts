import { startRun } from "../tests/doors/bank.js";
import { OPERATOR, PRIVACY, type Service, succeed } from "../tests/doors/service.js";
import { routeBody } from "../tests/support/muniment.js";
import { openBench } from "./kill-bench.js";

/** More statements than a new key for a person with a few rows sends. */
const STATEMENTS_MAX = 400;

/** The last two must be nought. */
export interface RotationKillCounts {
  /** Statements after which the service was killed, each once. */
  killed: number;
  /** The person wasn't as before, to the next service. */
  changed: number;
  /** Not sealed under one key, or not as before, after the same request once more. */
  unrepeatable: number;
}

/** Kills the service after a statement of giving a person a new key, then `step` statements later, and so on to its end. */
export async function soakRotationKills(
  step: number,
  say: (line: string) => void,
): Promise<RotationKillCounts> {
  const counts: RotationKillCounts = { killed: 0, changed: 0, unrepeatable: 0 };
  const bench = await openBench();
  try {
    let service = await bench.serve();
    await succeed(service.ask("PUT", "/v1/routes/chat", { as: OPERATOR, body: routeBody() }));
    for (let statements = 1; statements <= STATEMENTS_MAX; statements += step) {
      const person = `person-${statements}`;
      const { run_id: run } = await startRun(service, person, "main");
      const turns = ["one", "two"].map((text) => ({ role: "user", text, speaker: person }));
      await succeed(service.ask("POST", `/v1/runs/${run}/turns`, { body: { turns } }));
      const before = await said(service, run);
      let died: Promise<unknown> | null = null;
      bench.way.arm(statements, () => {
        died = service.end("SIGKILL");
      });
      await rotate(service, person).catch((error: unknown) => {
        // A service that was killed doesn't answer.
        if (died === null) throw error;
      });
      bench.way.disarm();
      if (died === null) break;
      await died;
      counts.killed += 1;
      service = await bench.serve();
      if ((await said(service, run)) !== before) counts.changed += 1;
      const { state } = await succeed<{ readonly state: string }>(rotate(service, person));
      if (state !== "sealed" || (await said(service, run)) !== before) counts.unrepeatable += 1;
      say(`killed after statement ${statements}: ${JSON.stringify(counts)}`);
    }
    await service.end("SIGKILL");
    return counts;
  } finally {
    await bench.stop();
  }
}

const rotate = (service: Service, person: string) =>
  service.ask("POST", `/v1/subjects/${person}/key-rotations`, { as: PRIVACY, body: {} });

async function said(service: Service, run: string): Promise<string> {
  const { turns } = await succeed<{ readonly turns: unknown }>(
    service.ask("GET", `/v1/runs/${run}/turns`),
  );
  return JSON.stringify(turns);
}
