import { z } from "zod";
import { MunimentError } from "../domain/errors.js";
import { isUuid, trustedId } from "../domain/ids.js";
import type { Keyring } from "../domain/keyring.js";

const schema = z.strictObject({
  format: z.literal(1),
  custody_id: z.string().refine(isUuid),
  taken_at: z.iso.datetime(),
  tenants: z.array(
    z.strictObject({
      tenant_id: z.string().refine(isUuid),
      seq: z.int().min(1),
      mac: z.string(),
      signature: z.string(),
    }),
  ),
});

/** Where each tenant's ledger ended, to be kept away from custody: it tells an older custody from the latest one. */
export type LedgerHeads = z.output<typeof schema>;
type TenantHead = LedgerHeads["tenants"][number];

export interface HeadFinding {
  readonly tenant_id: string;
  readonly finding: string;
}

export function parseHeads(value: unknown): LedgerHeads {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new MunimentError("invalid_input", "the file isn't a ledger head of `custody head`", {
    field: "file",
  });
}

function signedText({ custody_id, taken_at }: LedgerHeads, head: TenantHead): string {
  const { tenant_id, seq, mac } = head;
  return JSON.stringify(["ledger head", custody_id, taken_at, tenant_id, seq, mac]);
}

/** The heads of today, each signed with its tenant's ledger key. */
export async function exportHeads(
  { ledger, custodyId }: Pick<Keyring, "ledger" | "custodyId">,
  at: Date,
): Promise<LedgerHeads> {
  const heads: LedgerHeads = {
    format: 1,
    custody_id: custodyId,
    taken_at: at.toISOString(),
    tenants: [],
  };
  for (const tenant of await ledger.tenants()) {
    const unsigned = { tenant_id: tenant, ...(await ledger.head(tenant)), signature: "" };
    const signature = (await ledger.key(tenant)).sign(signedText(heads, unsigned));
    heads.tenants.push({ ...unsigned, signature });
  }
  return heads;
}

/** What a custody lacks of heads that were exported from it. Empty: it is as new as they are, or newer. */
export async function compareHeads(
  { ledger, custodyId }: Pick<Keyring, "ledger" | "custodyId">,
  heads: LedgerHeads,
): Promise<readonly HeadFinding[]> {
  if (heads.custody_id !== custodyId)
    throw new MunimentError("unavailable", "the ledger head is another custody's");
  const findings: HeadFinding[] = [];
  for (const head of heads.tenants) {
    const finding = await findingOf(ledger, heads, head);
    if (finding !== null) findings.push({ tenant_id: head.tenant_id, finding });
  }
  return findings;
}

async function findingOf(
  ledger: Keyring["ledger"],
  heads: LedgerHeads,
  head: TenantHead,
): Promise<string | null> {
  const tenant = trustedId<"TenantId">(head.tenant_id);
  const { seq } = await ledger.head(tenant);
  if (seq < head.seq) return `its ledger ends at line ${seq}, and had ${head.seq}`;
  const [line] = await ledger.read(tenant, head.seq - 1, 1);
  if (line?.mac !== head.mac) return `line ${head.seq} of its ledger isn't the one that it was`;
  const signature = (await ledger.key(tenant)).sign(signedText(heads, head));
  return signature === head.signature ? null : "its signature isn't this custody's";
}
