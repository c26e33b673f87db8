import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { TenantId } from "../domain/ids.js";
import type { LedgerKey } from "../domain/ledger.js";
import type { KeyName } from "./cipher.js";
import { deriveKey } from "./derive.js";

/** The tenant's key for the ledger, with what only the ledger itself may do: chain its lines. */
export interface ChainKey extends LedgerKey {
  /** Hex. */
  chain(text: string): string;
}

/** Beside the tenant's own key and those of its subjects, which are named by UUIDs. */
export function ledgerKeyName(tenant: TenantId): KeyName {
  return { tenant, subject: "ledger", keyId: tenant };
}

function hmac(key: KeyObject, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text, "utf8").digest(encoding);
}

/** The keys of a tenant's ledger, from its data key (32 bytes). The caller wipes `data`. */
export function ledgerKeyOf(data: Uint8Array): ChainKey {
  const root = createSecretKey(data);
  const items = deriveKey(root, "ledger/items");
  const chain = deriveKey(root, "ledger/chain");
  const signature = deriveKey(root, "ledger/sign");
  return Object.freeze({
    mac: (purpose: string, text: string) => hmac(items, JSON.stringify([purpose, text]), "base64"),
    sign: (text: string) => hmac(signature, text, "base64"),
    chain: (text: string) => hmac(chain, text, "hex"),
  });
}
