const FOUNDATIONS = ["custody", "policy", "storage", "recall", "models", "config"] as const;

/**
 * What each part of `src/` may import besides itself. Parts of one rank never import each other.
 * ARCHITECTURE.md prints this table; a test compares the two.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  custody: ["domain"],
  policy: ["domain"],
  storage: ["domain"],
  recall: ["domain"],
  models: ["domain"],
  config: ["domain"],
  services: ["domain", ...FOUNDATIONS],
  jobs: ["domain", "services"],
  http: ["domain", "services"],
  mcp: ["domain", "services"],
  adapters: ["domain", "services"],
  compose: ["domain", ...FOUNDATIONS, "services", "jobs", "http", "mcp", "adapters"],
  cli: ["domain", "config", "services", "http", "compose"],
  "index.ts": ["domain", "config", "services", "adapters", "compose"],
};

/** Lines of a source file: one idea each. */
export const LINES_MAX = 200;

/** Takes `storage/queries/turn-append.ts` to `storage`, and `index.ts` to itself. */
export function partOf(file: string): string {
  return file.split("/")[0] ?? file;
}
