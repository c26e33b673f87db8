import {
  type KeyId,
  type SessionId,
  type SubjectId,
  type TenantId,
  trustedId,
  type WorkspaceId,
} from "../../src/domain/ids.js";
import { mintPermit, type Permit } from "../../src/domain/permit.js";
import type { TestDatabase } from "../setup/databases.js";

const NOW = new Date("2026-03-02T09:00:00Z");
const LATER = new Date("2026-03-03T09:00:00Z");

/** Where a turn stands. */
interface Place {
  readonly tenant: TenantId;
  readonly subject: SubjectId;
  readonly key: KeyId;
  readonly session: SessionId;
}

/** Two banks. Jane and Tom are customers of the first, and Jane has two chats; the second has one customer. */
export interface TwoBanks {
  readonly jane: Place;
  /** A permit to list the turns of Jane's first chat. */
  readonly permit: () => Permit<"list_turns">;
  readonly turns: {
    readonly own: readonly string[];
    readonly otherSession: readonly string[];
    readonly otherSubject: readonly string[];
    readonly otherTenant: readonly string[];
  };
}

const id = () => crypto.randomUUID();
const WORKSPACE = trustedId<"WorkspaceId">(id());

/** Puts the rows there as the owner, under the same ids wherever the keys of the tables allow it. */
export async function twoBanks(db: TestDatabase): Promise<TwoBanks> {
  const [au, nz] = await Promise.all([addTenant(db, "bank-au"), addTenant(db, "bank-nz")]);
  const jane = await addSubject(db, au);
  const tom = await addSubject(db, au);
  const other = await addSubject(db, nz);
  const first = await addSession(db, jane);
  const own = await addTurns(db, first);
  return {
    jane: first,
    permit: () => permitFor(first, WORKSPACE),
    turns: {
      own,
      otherSession: await addTurns(db, await addSession(db, jane)),
      otherSubject: await addTurns(db, await addSession(db, tom)),
      otherTenant: await addTurns(db, await addSession(db, other)),
    },
  };
}

function permitFor(place: Place, workspace: WorkspaceId): Permit<"list_turns"> {
  const scope = {
    tenant: place.tenant,
    workspace,
    breadth: "subject" as const,
    subject: place.subject,
    keyId: place.key,
    session: place.session,
    recallFrom: [],
    now: NOW,
  };
  return mintPermit("list_turns", scope, {
    verdict: "allow",
    policyIds: ["test"],
    policySetHash: "test",
  });
}

async function addTenant(db: TestDatabase, name: string): Promise<TenantId> {
  const tenant = trustedId<"TenantId">(id());
  await db.query(
    "insert into muniment.tenant (tenant_id, name, evidence_days, created_at) values ($1, $2, 365, $3)",
    [tenant, name, NOW],
  );
  return tenant;
}

async function addSubject(db: TestDatabase, tenant: TenantId): Promise<Omit<Place, "session">> {
  const subject = trustedId<"SubjectId">(id());
  const key = trustedId<"KeyId">(id());
  await db.query(
    `insert into muniment.subject (tenant_id, subject_id, key_id, state, revision, purge_revision, created_at)
     values ($1, $2, $3, 'active', 1, 0, $4)`,
    [tenant, subject, key, NOW],
  );
  return { tenant, subject, key };
}

async function addSession(db: TestDatabase, owner: Omit<Place, "session">): Promise<Place> {
  const session = trustedId<"SessionId">(id());
  await db.query(
    `insert into muniment.session
       (tenant_id, subject_id, session_id, workspace_id, state, epoch, last_seq, expires_at, created_at)
     values ($1, $2, $3, $4, 'open', 1, 2, $5, $6)`,
    [owner.tenant, owner.subject, session, WORKSPACE, LATER, NOW],
  );
  return { ...owner, session };
}

/** Two turns; answers their ids, newest first. */
async function addTurns(db: TestDatabase, place: Place): Promise<readonly string[]> {
  const turns = [id(), id()];
  for (const [index, turn] of turns.entries()) {
    await db.query(
      `insert into muniment.turn
         (tenant_id, subject_id, session_id, seq, turn_id, workspace_id, run_id, route_id, epoch, role,
          revision, observed_at, recorded_at, content_sealed, terms_sealed)
       values ($1, $2, $3, $4, $5, $6, $7, 'fee_explain', 1, 'user', 1, $8, $8, '\\x00', '\\x00')`,
      [place.tenant, place.subject, place.session, index + 1, turn, WORKSPACE, id(), NOW],
    );
  }
  return turns.reverse();
}
