import type { Figures } from "../../http/metrics.js";

const ANSWER_MS_MAX = 5_000;

/** The running service's own figures by name; null where it serves none, or doesn't answer. */
export async function readFigures(port: number | undefined): Promise<Figures | null> {
  if (port === undefined) return null;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`, { signal });
    if (!reply.ok) return null;
    const lines = (await reply.text()).matchAll(/^(muniment_\w+) (\d+)$/gm);
    return Object.fromEntries(Array.from(lines, ([, name = "", value]) => [name, Number(value)]));
  } catch {
    return null;
  }
}
