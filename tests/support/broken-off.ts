import type { SubjectId } from "../../src/domain/ids.js";
import type { Store } from "../../src/storage/store.js";

/** A store that lets something happen before the nth transaction about a subject. */
export function beforeTransaction(
  store: Store,
  subject: SubjectId,
  nth: number,
  happens: () => Promise<void>,
): Store {
  let left = nth;
  return {
    ...store,
    async transact(permit, body) {
      if (permit.scope.subject === subject) {
        left -= 1;
        if (left === 0) await happens();
      }
      return await store.transact(permit, body);
    },
  };
}

/** A store whose process dies after so many transactions: none answers from then on. */
export function dyingAfter(store: Store, transactions: number): Store {
  let left = transactions;
  return new Proxy(store, {
    get(target, name) {
      if (name !== "transact") return Reflect.get(target, name, target);
      return async (...given: Parameters<Store["transact"]>) => {
        if (left-- <= 0) throw new Error("killed");
        return await target.transact(...given);
      };
    },
  });
}
