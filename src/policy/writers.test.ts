import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import {
  boundOf,
  fieldWith,
  NOW,
  pinWith,
  principalWith,
  routeWith,
} from "../../tests/support/policy-question.js";
import { FIELD_CLASSES, FIELD_WRITERS, type FieldDefinition } from "../domain/field.js";
import { isQuarantined, ORIGINS, type Origin } from "../domain/origin.js";
import type { Claims } from "../domain/principal.js";
import { createCedarPdp } from "./cedar.js";
import { toEvaluation } from "./evaluation.js";
import { loadPolicySet, POLICY_DIRECTORY } from "./policy-files.js";
import type { Question } from "./question.js";

const origins = z.array(z.enum(ORIGINS)).default([]);
const row = z.strictObject({
  class: z.enum(FIELD_CLASSES),
  define: z.array(z.enum(FIELD_WRITERS)),
  propose: origins,
  tool: origins,
  click: origins,
  approve: origins,
  pass: origins,
  reconcile: origins,
});
type Row = z.output<typeof row>;

const table = z
  .array(row)
  .parse(parse(readFileSync(join(POLICY_DIRECTORY, "scenarios/writers.yaml"), "utf8")));
const pdp = createCedarPdp(loadPolicySet());

const REVIEWER: Partial<Claims> = { kind: "human", roles: ["reviewer"] };
const service = (role: string): Partial<Claims> => ({ kind: "service", roles: [role] });

function isAllowed(claims: Partial<Claims>, asked: object): boolean {
  const principal = principalWith(claims);
  const question = { principal, bound: boundOf(principal), now: NOW, ...asked } as Question;
  const { verdict, fault } = pdp.decide(toEvaluation(question));
  expect(fault).toBeUndefined();
  return verdict === "allow";
}

const pin = pinWith({
  route: routeWith({ autonomy: 1, tools: ["upsert_preference"], store_fields: ["pref_language"] }),
});
const { subject, keyId, workspace } = pin;
const store = { type: "store", subject, keyId, workspace } as const;
const run = { type: "run", pin } as const;

/** Whether a value of this origin gets through, on each path. The caller is one who may take the path at all. */
const PATHS: Readonly<
  Record<
    Exclude<keyof Row, "class" | "define">,
    (field: FieldDefinition, origin: Origin) => boolean
  >
> = {
  propose: (field, origin) =>
    isAllowed(REVIEWER, { action: "propose_field", resource: store, context: { field, origin } }),
  tool: (field, origin) =>
    isQuarantined(origin) &&
    isAllowed(
      { kind: "agent", roles: [], subject: "s", session: "c", run: pin.run },
      {
        action: "upsert_preference",
        resource: run,
        context: { field, origin, tool: { name: "upsert_preference" } },
      },
    ),
  click: (field, writer) => {
    const set = isAllowed(REVIEWER, {
      action: "set_preference",
      resource: store,
      context: { field, writer },
    });
    const inRun = isAllowed(
      { kind: "human", roles: ["supervisor"] },
      {
        action: "set_session_field",
        resource: run,
        context: { field: { ...field, scope: "session" }, writer },
      },
    );
    expect(inRun).toBe(set);
    return set;
  },
  approve: (field, writer) =>
    isAllowed(REVIEWER, {
      action: "promote_by_human",
      resource: store,
      context: { field, writer, approvedByCaller: false },
    }),
  pass: (field, writer) =>
    isAllowed(service("evaluator"), {
      action: "promote_by_evaluator",
      resource: store,
      context: { field, writer, criterion: "extraction" },
    }),
  reconcile: (field, writer) =>
    isAllowed(service("reconcile"), {
      action: "promote_by_reconcile",
      resource: store,
      context: { field, writer },
    }),
};

describe("writers of each class", () => {
  it("S2-15 the table has a row for each class", () => {
    expect(table.map((line) => line.class)).toEqual([...FIELD_CLASSES]);
  });

  it.each(table)("S2-15 a $class may name these writers and no other", (line) => {
    const named = FIELD_WRITERS.filter((writer) =>
      isAllowed(
        { kind: "human", roles: ["operator"] },
        {
          action: "put_field",
          resource: { type: "field", fieldId: "pref_language" },
          context: { field: fieldWith({ class: line.class, writers: [writer] }) },
        },
      ),
    );
    expect(named.toSorted()).toEqual([...line.define].toSorted());
  });

  const cases = table.flatMap((line) =>
    (Object.keys(PATHS) as (keyof typeof PATHS)[]).map((path) => ({
      fieldClass: line.class,
      path,
      line,
    })),
  );
  it.each(cases)(
    "S2-15 S2-21 a $fieldClass takes values on path `$path` from those that the table lists, and from nobody else",
    ({ line, path }) => {
      const field = fieldWith({
        class: line.class,
        writers: line.define,
        criterion: "extraction",
      });
      const taken = ORIGINS.filter((origin) => PATHS[path](field, origin));
      expect(taken.toSorted()).toEqual([...line[path]].toSorted());
    },
  );
});
