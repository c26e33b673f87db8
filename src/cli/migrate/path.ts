import { isObject } from "../import/row.js";

/** What stands at a dotted path such as `metadata.language` or `namespace.1`. Own keys alone. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path.split(".")) {
    if (Array.isArray(at)) at = /^\d{1,4}$/.test(step) ? at[Number(step)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}
