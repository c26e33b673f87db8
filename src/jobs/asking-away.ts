import type { Deriver } from "../domain/deriver.js";
import { MunimentError } from "../domain/errors.js";
import type { Services } from "../services/services.js";
import type { Place } from "./places.js";

/** Services whose questions to a model are waited for beside the place; `keep` is called before each, which may take long. */
export function askingAway(services: Services, place: Place, keep: () => Promise<void>): Services {
  const away = <Source>(asked: Deriver<Source>): Deriver<Source> => {
    if (asked.model === null) return asked;
    const ask: typeof asked.ask = async (source, spent) => {
      await keep();
      try {
        return await place.whileAway(() => asked.ask(source, spent));
      } catch (error) {
        if (isUnanswered(error)) place.unanswered();
        throw error;
      }
    };
    return { ...asked, ask };
  };
  const { digester, observer, consolidator } = services;
  return {
    ...services,
    digester: away(digester),
    observer: away(observer),
    consolidator: away(consolidator),
  };
}

function isUnanswered(error: unknown): boolean {
  return error instanceof MunimentError && error.kind === "unavailable" && error.field === "model";
}
