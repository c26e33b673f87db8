import { type Edge, isTest, type SourceTree } from "./source-tree.js";
import { LINES_MAX, MAY_IMPORT, partOf } from "./table.js";

/** A rule finds what breaks it. Each finding names the file, or the import as `from -> to`. */
export type Rule = (tree: SourceTree) => readonly string[];

const show = (edges: readonly Edge[]): readonly string[] =>
  edges.map(({ from, to }) => `${from} -> ${to}`);

export const everyPartIsInTheTable: Rule = ({ files }) =>
  files.map(({ path }) => path).filter((path) => !Object.hasOwn(MAY_IMPORT, partOf(path)));

export const importsPointDown: Rule = ({ edges }) =>
  show(
    edges.filter(({ from, to, local }) => {
      if (!local || partOf(from) === partOf(to)) return false;
      return !MAY_IMPORT[partOf(from)]?.includes(partOf(to));
    }),
  );

export const domainImportsNoPackage: Rule = ({ edges }) =>
  show(edges.filter(({ from, local }) => !local && partOf(from) === "domain"));

/** A driver is a file below a `drivers/` folder: which one runs is decided in one place. */
export const onlyComposePicksDrivers: Rule = ({ edges }) =>
  show(
    edges.filter(({ from, to, local }) => {
      if (!local || !/^\w+\/drivers\//.test(to)) return false;
      return partOf(from) !== "compose" && !from.startsWith(`${partOf(to)}/drivers/`);
    }),
  );

/** A permit comes from `mintPermit`, a cast or the constructor; each has one owner. */
export const onlyThePolicyMints: Rule = ({ files }) =>
  files
    .filter(({ path }) => path !== "policy/enforce.ts" && path !== "domain/permit.ts")
    .filter(({ text }) => /\bmintPermit\b|\bnew Permit\b|\bas (?:unknown as )?Permit\b/.test(text))
    .map(({ path }) => path);

export const productionImportsNoTest: Rule = ({ edges }) =>
  show(edges.filter(({ to, local }) => (local ? isTest(to) : /^(vitest|fast-check)\b/.test(to))));

export const filesAreShort: Rule = ({ files }) =>
  files.filter(({ text }) => text.trimEnd().split("\n").length > LINES_MAX).map(({ path }) => path);
