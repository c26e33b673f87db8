import { codeOf, MunimentError } from "../domain/errors.js";
import { Unmet } from "../domain/unmet.js";

/** SQLSTATE of `muniment.require`. */
const UNMET = "MU001";

const NOT_ALLOWED = "42501";

/** Deadlock, serialisation failure, cancelled or timed-out statement, lock timeout, server going away. */
const TRANSIENT = new Set(["40P01", "40001", "57014", "57P01", "57P02", "57P03", "55P03", "25P03"]);

/** An error that a database server reports has a SQLSTATE and a severity; all others come from the way to it. */
export function isReported(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "severity" in cause;
}

function unavailable(cause: unknown): MunimentError {
  return new MunimentError("unavailable", "the database is not available", { cause });
}

/** An error of a statement as the storage port promises it. The cause stays private: it may repeat values. */
export function statementError(cause: unknown): Error {
  if (cause instanceof MunimentError) return cause;
  const code = codeOf(cause) ?? "";
  if (!isReported(cause)) return unavailable(cause);
  if (code === UNMET) return new Unmet(cause instanceof Error ? cause.message : "");
  // The first statement of a transaction takes the application role: a login outside of it gets no further.
  if (code === NOT_ALLOWED && cause instanceof Error && cause.message.includes("set role"))
    return new MunimentError(
      "unavailable",
      "the database's login may not act as muniment_app: as the owner, `grant muniment_app to LOGIN with inherit false, set true`",
      { cause },
    );
  const lost = code.startsWith("08") || code.startsWith("53") || TRANSIENT.has(code);
  return lost
    ? unavailable(cause)
    : new MunimentError("internal", "the database refused a statement", { cause });
}

/** An error on the way to a connection: none is free in time, or the server can't be reached. */
export function connectionError(cause: unknown): MunimentError {
  return unavailable(cause);
}
