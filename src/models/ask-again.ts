import { MunimentError } from "../domain/errors.js";
import { invalid } from "../domain/fields.js";
import { MalformedAnswer } from "./language-model.js";

/** One repetition, with what was wrong: a model that errs twice is looked at by a person. */
const TRIES = 2;

/**
 * Asks a model and checks its answer, once more where it isn't right. `ask` gets our own words, with what was wrong at the end,
 * and whether it is the last time. Throws the refusal of the last answer; `name` is what was asked for.
 */
export async function askAgain<Answer>(
  name: string,
  system: string,
  ask: (system: string, isLast: boolean) => Promise<Answer>,
): Promise<Answer> {
  let told = system;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask(told, attempt === TRIES);
    } catch (error) {
      if (!isWrong(error) || attempt === TRIES) throw asRefusal(error, name);
      told = `${system}\nYour last answer was refused: ${error.message}`;
    }
  }
}

function isWrong(error: unknown): error is Error {
  return (
    error instanceof MalformedAnswer ||
    (error instanceof MunimentError && error.kind === "invalid_input")
  );
}

function asRefusal(error: unknown, name: string): unknown {
  return error instanceof MalformedAnswer ? invalid(name, "hasn't the asked form") : error;
}
