import { must } from "../../src/domain/errors.js";
import { type KeyId, type SubjectId, trustedId } from "../../src/domain/ids.js";
import { govern } from "../../src/services/govern.js";
import { inWorkspace, jobCaller } from "../../src/services/job-caller.js";
import { writeObservation } from "../../src/services/observation-writing.js";
import { modelIn, queueConsolidation } from "../../src/services/queue-consolidation.js";
import { touchSubject } from "../../src/storage/queries/subject-touch.js";
import { subjectScope } from "../../src/storage/scope.js";
import type { TestMuniment } from "./muniment.js";

interface Said {
  readonly text: string;
  readonly dimension?: string;
  readonly isSafety?: boolean;
  readonly supersedes?: string;
  readonly tenant?: string;
  /** Days that it is kept. */
  readonly days?: number;
}

/** Has the person say something in a run, and keeps it as an observation, as the job of observing does. Its id. */
export async function observe(
  m: TestMuniment,
  run: string,
  { text, dimension = "goals", isSafety = false, supersedes, tenant = "bank-au", days = 300 }: Said,
): Promise<string> {
  const { turn_ids } = await m.app(tenant).appendTurns(run, { turns: [{ role: "user", text }] });
  const [row] = await m.db.query<{
    subject: string;
    session: string;
    key: string;
    route: string;
    workspace: string;
    tenant: string;
  }>(
    `select r.subject_id as subject, r.session_id as session, r.route_id as route, r.workspace_id as workspace, u.key_id as key,
       r.tenant_id as tenant
     from muniment.run r join muniment.subject u on u.tenant_id = r.tenant_id and u.subject_id = r.subject_id where r.run_id = $1`,
    [run],
  );
  const place = must(row, "run");
  const subject = trustedId<"SubjectId">(place.subject) as SubjectId;
  const keyId = trustedId<"KeyId">(place.key) as KeyId;
  const session = trustedId<"SessionId">(place.session);
  const key = must(
    await m.services.keyring.subjectKey(trustedId<"TenantId">(place.tenant), subject, keyId),
    "key",
  );
  const job = await jobCaller(m.services, "work", tenant);
  const caller = inWorkspace(job, trustedId<"WorkspaceId">(place.workspace));
  return await govern(m.services, caller, "compress_session", async (op) => {
    const permit = op.permit({ type: "session", subject, keyId, session }, {});
    const turnIds = turn_ids.map((id) => trustedId<"TurnId">(id));
    const saidIn = must(turnIds[0], "turn");
    const { id, statement } = writeObservation(permit, key, {
      observed: {
        dimension: trustedId<"DimensionId">(dimension),
        text,
        basis: "quoted",
        tier: "reported",
        isSafety,
        turnIds,
        quotes: [{ turn_id: saidIn, start: 0, end: text.length }],
        said: text,
        saidIn,
        supersedes: supersedes === undefined ? null : trustedId<"ObservationId">(supersedes),
      },
      run: trustedId<"RunId">(run),
      routeId: trustedId<"RouteId">(place.route),
      speakerId: null,
      observedAt: op.now,
      expiresAt: new Date(op.now.getTime() + days * 86_400_000),
      model: null,
      madeBy: "quotes",
    });
    await m.services.store.transact(permit, (tx) =>
      tx.commit([
        touchSubject(subjectScope(permit)),
        statement,
        ...queueConsolidation(permit, modelIn(permit)),
        op.audit(permit, { writes: [{ kind: "observation", ids: [id] }] }),
      ]),
    );
    return id;
  });
}
