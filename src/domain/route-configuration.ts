import { invalid, plainKey } from "./fields.js";

/** What belongs to the memory service, by the names that authors give it in a route. */
const CONFIGURATION: readonly (readonly [RegExp, string])[] = [
  [
    /(?:url|uri|dsn|connectionstring|endpoint)$|^(?:vector|memory)?store$|^database$/,
    "where memory is stored",
  ],
  [/embed/, "the embedding model"],
  [/compress|compaction|summar.*prompt|prompt.*summar/, "how memory is compressed"],
];

/** Refuses a key that would configure the memory service. Any other unknown key is left to the caller. */
export function refuseConfiguration(key: string, path: string): void {
  const matched = CONFIGURATION.find(([pattern]) => pattern.test(plainKey(key)));
  if (matched)
    throw invalid(path, `is configuration of the memory service (${matched[1]}), not of a route`);
}
