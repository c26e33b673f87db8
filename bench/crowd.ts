import type pg from "pg";

const BATCH = 100_000;
const TURNS_A_SUBJECT = 500;
const TENANTS = 40;

/**
 * Puts turns of other people into the tables, as the owner and by SQL: random bytes of the size of our own turns. Every
 * tenth subject is of our own tenant. They are spread evenly, so that no two neighbours of the heap are of one subject.
 */
export async function addCrowd(
  owner: pg.Client,
  turns: number,
  say: (line: string) => void,
): Promise<void> {
  const subjects = Math.max(1, Math.round(turns / TURNS_A_SUBJECT));
  // Foreign keys hold by the way the rows are made; checking a million of them would only cost time.
  await owner.query("set session_replication_role = replica");
  await owner.query("set synchronous_commit = off");
  for (const text of preparation(subjects)) await owner.query(text);
  for (let from = 0; from < turns; from += BATCH) {
    await owner.query(INSERT_TURNS, [from, Math.min(turns, from + BATCH) - 1, subjects]);
    say(`crowd: ${Math.min(turns, from + BATCH)} of ${turns} turns`);
  }
  await owner.query("set synchronous_commit = on");
  await owner.query("set session_replication_role = origin");
}

function preparation(subjects: number): readonly string[] {
  return [
    `create temp table crowd_tenant as
       select n, case when n = 0 then (select tenant_id from muniment.tenant order by created_at limit 1)
         else uuidv7() end as tenant_id
       from generate_series(0, ${TENANTS}) n`,
    `insert into muniment.tenant (tenant_id, name, evidence_days, created_at)
       select tenant_id, 'crowd-' || n, 365, now() from crowd_tenant where n > 0`,
    `create temp table crowd_subject as
       select s as n, t.tenant_id, uuidv7() as subject_id, uuidv7() as session_id
       from generate_series(0, ${subjects - 1}) s
       join crowd_tenant t on t.n = case when s % 10 = 0 then 0 else 1 + s % ${TENANTS} end`,
    "create unique index on crowd_subject (n)",
    `insert into muniment.subject (tenant_id, subject_id, key_id, state, revision, purge_revision, created_at)
       select tenant_id, subject_id, uuidv7(), 'active', ${TURNS_A_SUBJECT}, 0, now() from crowd_subject`,
    `insert into muniment.session (tenant_id, subject_id, session_id, workspace_id, state, epoch, last_seq, expires_at, created_at)
       select tenant_id, subject_id, session_id, uuidv7(), 'open', 0, ${TURNS_A_SUBJECT}, now() + interval '1 day', now()
       from crowd_subject`,
    `create temp table crowd_bytes as
       select n,
         (select decode(string_agg(md5(random()::text || n || i), ''), 'hex') from generate_series(1, size.content / 16) i) as content,
         (select decode(string_agg(md5(random()::text || n || i), ''), 'hex') from generate_series(1, size.terms / 16) i) as terms
       from generate_series(0, 511) n,
         (select avg(octet_length(content_sealed))::integer as content, avg(octet_length(terms_sealed))::integer as terms
          from muniment.turn) size`,
    "create unique index on crowd_bytes (n)",
    "analyze crowd_subject, crowd_bytes",
  ];
}

const INSERT_TURNS = `
  insert into muniment.turn
    (tenant_id, subject_id, session_id, seq, turn_id, workspace_id, run_id, route_id, epoch, role, speaker_id, source_id,
     revision, observed_at, recorded_at, evidence_until, content_sealed, terms_sealed)
  select s.tenant_id, s.subject_id, s.session_id, 1 + g / $3::integer, uuidv7(), s.session_id, s.session_id, 'bench', 0, 'user',
    null, uuidv7(), 1 + g / $3::integer, now(), now(), now() + interval '365 days', b.content, b.terms
  from generate_series($1::integer, $2::integer) g
  join crowd_subject s on s.n = g % $3::integer
  join crowd_bytes b on b.n = g % 512`;
