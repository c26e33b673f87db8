import type { DerivedCandidate } from "./candidate.js";
import { type Line, minute } from "./line.js";

/** Part of a view: said by nobody in these words, so its block names what it rests on. */
export function derivedLine(derived: DerivedCandidate): Line {
  const { kind, name, sources, confidence, labels, at } = derived;
  const source = `${kind}:${name}`;
  const time = minute(at);
  return {
    kind,
    layer: "derived",
    source: sources,
    label: [source, ...labels.map(([, value]) => value), time].join(" ").toWellFormed(),
    attributes: [
      ["layer", "derived"],
      ["source", source],
      ...labels,
      ["confidence", confidence],
      ["time", time],
    ],
    text: derived.text.toWellFormed(),
    at,
    seq: 0,
  };
}
