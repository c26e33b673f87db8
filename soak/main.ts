import { soakRestores } from "./restores.js";

const USAGE = "usage: npm run -s soak -- restores [rounds] [seed]\n";

/** A small generator whose runs can be repeated by their seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const [what, rounds = "50", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
if (what === "restores") {
  const counts = await soakRestores(Number(rounds), randomOf(Number(seed)), (line) =>
    process.stderr.write(`${line}\n`),
  );
  process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...counts })}\n`);
  if (counts.rowsLeft + counts.resurrected + counts.changed > 0) process.exitCode = 1;
} else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
