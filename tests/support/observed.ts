import { uuidv7 } from "uuidv7";
import { must } from "../../src/domain/errors.js";
import {
  type KeyId,
  type RouteId,
  type SubjectId,
  type TenantId,
  type TurnId,
  trustedId,
} from "../../src/domain/ids.js";
import type { ObservationTier } from "../../src/domain/observation.js";
import { findQuote } from "../../src/domain/quote.js";
import {
  observationMac,
  observationPlace,
  sealObservationTerms,
} from "../../src/services/observation-writing.js";
import type { TestMuniment } from "./muniment.js";

export interface Observing {
  readonly run: string;
  readonly text: string;
  /** Turns that it cites, each with what it says and the words of that that are quoted. */
  readonly from: readonly {
    readonly turnId: string;
    readonly said: string;
    readonly quote: string;
  }[];
  readonly dimension?: string;
  readonly tier?: ObservationTier;
  readonly supersedes?: string;
}

interface Standing extends Readonly<Record<string, unknown>> {
  readonly tenant: TenantId;
  readonly subject: SubjectId;
  readonly key: KeyId;
  readonly workspace: string;
  readonly session: string;
  readonly route: RouteId;
}

/** Keeps an observation as a model would have worded it, and answers its id: what an observer finds isn't what is tested. */
export async function keepObservation(
  m: Pick<TestMuniment, "db" | "services">,
  { run, text, from, dimension = "change", tier = "reported", supersedes }: Observing,
): Promise<string> {
  const [at] = await m.db.query<Standing>(
    `select r.tenant_id as tenant, r.subject_id as subject, s.key_id as key, r.workspace_id as workspace,
      r.session_id as session, r.route_id as route
    from muniment.run r join muniment.subject s using (tenant_id, subject_id) where r.run_id = $1`,
    [run],
  );
  const { tenant, subject, workspace, session, route } = must(at, "run");
  const key = must(
    await m.services.keyring.subjectKey(tenant, subject, must(at, "run").key),
    "key",
  );
  const turns = await m.db.query<{ readonly id: TurnId; readonly at: Date }>(
    "select turn_id as id, observed_at as at from muniment.turn where turn_id = any($1::uuid[])",
    [from.map(({ turnId }) => turnId)],
  );
  const standing = {
    observationId: trustedId<"ObservationId">(uuidv7()),
    sessionId: session,
    workspaceId: workspace,
    routeId: route,
    dimensionId: trustedId<"DimensionId">(dimension),
    basis: "generated",
    tier,
    isSafety: false,
    turnIds: from.map(({ turnId }) => turnId),
    supersedes: supersedes === undefined ? null : trustedId<"ObservationId">(supersedes),
  };
  const observedAt = new Date(Math.max(...turns.map((turn) => new Date(turn.at).getTime())));
  const quotes = from.map(({ turnId, said, quote }) => ({
    turn_id: turnId,
    ...must(findQuote(said, quote), "quote"),
  }));
  const body = { text, quotes, model: "scripted" };
  await m.db.query(
    `insert into muniment.observation
      (tenant_id, subject_id, observation_id, workspace_id, session_id, run_id, route_id, dimension_id, basis, tier, is_safety,
       turn_ids, speaker_id, supersedes, content_mac, revision, observed_at, recorded_at, expires_at, body_sealed, terms_sealed)
    select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false, $11::uuid[], null, $12, $13, u.revision, $14::timestamptz,
      $14::timestamptz, $14::timestamptz + interval '3 years', $15, $16
    from muniment.subject u where u.tenant_id = $1 and u.subject_id = $2`,
    [
      tenant,
      subject,
      standing.observationId,
      workspace,
      session,
      run,
      route,
      dimension,
      standing.basis,
      tier,
      standing.turnIds,
      standing.supersedes,
      observationMac(key, { ...standing, text }),
      observedAt,
      key.seal(observationPlace(standing), JSON.stringify(body)),
      sealObservationTerms(key, standing, text, observedAt),
    ],
  );
  return standing.observationId;
}
