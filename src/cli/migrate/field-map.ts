import { z } from "zod";
import { readOperatorFile } from "../../config/operator-file.js";
import { MunimentError } from "../../domain/errors.js";
import { MEMORY_KINDS } from "./memory.js";

const scalar = z.union([z.string().max(256), z.number(), z.boolean()]);
const path = z.string().min(1).max(256);

/** A pattern is the operator's own; what it is matched against is cut to a bounded length. */
const pattern = z
  .string()
  .max(512)
  .transform((source, context): RegExp => {
    try {
      return new RegExp(source, "iu");
    } catch {
      context.addIssue({ code: "custom", message: "isn't a regular expression" });
      return z.NEVER;
    }
  });

const rule = z.strictObject({
  field_id: z.string().min(1).max(128),
  /** Where the value stands in the record; with `match`, the text that is searched (the memory's own, if left out). */
  from: path.optional(),
  /** Looks for the value in text: its first group, else the whole match. */
  match: pattern.optional(),
  kind: z.enum(MEMORY_KINDS).optional(),
  /** Paths that must hold exactly this. */
  where: z.record(path, scalar).optional(),
  /** What a value there is called here. One that isn't listed is refused. */
  values: z.record(z.string().max(256), scalar).optional(),
});
export type FieldRule = z.output<typeof rule>;

const schema = z.strictObject({
  /** Path of the id of the person that a record is about. */
  subject: path.optional(),
  fields: z.array(rule).min(1).max(256),
});

/** Which part of another system's memories becomes a candidate for which field. */
export interface FieldMap {
  readonly subject?: string | undefined;
  readonly fields: readonly FieldRule[];
}

/** Reads the mapping file, in YAML or JSON. */
export function readFieldMap(file: string): FieldMap {
  return parseFieldMap(readOperatorFile(file), file);
}

export function parseFieldMap(value: unknown, name: string): FieldMap {
  const parsed = schema.safeParse(value);
  const issue = parsed.error?.issues[0];
  if (issue !== undefined) {
    const field = issue.path.map(String).join(".") || "fields";
    throw new MunimentError("invalid_input", `${name}: \`${field}\` ${issue.message}`, { field });
  }
  const map = parsed.data as FieldMap;
  const aimless = map.fields.findIndex(
    ({ from, match }) => from === undefined && match === undefined,
  );
  if (aimless >= 0) {
    const field = `fields.${aimless}`;
    throw new MunimentError("invalid_input", `${name}: \`${field}\` needs \`from\` or \`match\``, {
      field,
    });
  }
  return map;
}
