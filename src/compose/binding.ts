import { randomUUID } from "node:crypto";
import type { Claims } from "../domain/principal.js";
import { type Caller, identify } from "../services/caller.js";
import type { Services } from "../services/services.js";
import type { CallOptions } from "./operations.js";

/** Turns use cases into calls of one caller, each of which identifies its caller anew, as a request over the network does. */
export function bindingOf(services: Services, claims: Claims, options: CallOptions) {
  const caller = (): Promise<Caller> =>
    identify(services, claims, {
      requestId: randomUUID(),
      idempotencyKey: options.idempotencyKey ?? null,
    });
  function bind<Rest extends readonly unknown[], Reply>(
    use: (services: Services, caller: Caller, ...rest: Rest) => Promise<Reply>,
  ) {
    return async (...rest: Rest): Promise<Reply> => use(services, await caller(), ...rest);
  }
  /** The same for what comes a piece at a time: the caller is identified when the first one is asked for. */
  function bindLines<Rest extends readonly unknown[]>(
    use: (services: Services, caller: Caller, ...rest: Rest) => AsyncIterable<string>,
  ) {
    return async function* (...rest: Rest): AsyncGenerator<string, void, undefined> {
      yield* use(services, await caller(), ...rest);
    };
  }
  return { bind, bindLines };
}
