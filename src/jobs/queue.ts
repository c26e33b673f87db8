import PgBoss from "pg-boss";

/** Sends one command of the queue to the database. */
export type QueueCommand = (
  text: string,
  values?: readonly unknown[],
) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/** What the queue knows of a job: whose it is and which row it is about. */
export interface JobRef {
  readonly tenant_id: string;
  readonly work_id: string;
}

export interface Job {
  readonly id: string;
  readonly data: JobRef;
  /** Since when it is held, as the queue says it: who held it before can't end it any more. */
  readonly since: string;
}

/** A durable queue: a job that was taken comes again until it is completed, or its worker's time runs out. */
export interface Queue {
  /** Takes the next job, of none of those tenants; null where there is none. With `early`, also one that waits for another try. */
  take(early: boolean, tenants: TenantsInTurn): Promise<Job | null>;
  complete(job: Job): Promise<void>;
  /** Holds on to a job that takes long: its worker hasn't vanished. Gives the job as it is held now. */
  keep(job: Job): Promise<Job>;
  /** Gives the job back: it comes again for another try, each time after a longer while. */
  giveBack(job: Job): Promise<void>;
  /** Puts the job off, as if it hadn't been taken: it comes again after as many seconds. */
  putOff(job: Job, seconds: number): Promise<void>;
  /** The same, unless it is called before, or was while it was taken. */
  putBehind(job: Job, seconds: number): Promise<void>;
  /** Calls a job that was put behind another one. */
  call(id: string): Promise<void>;
  /** Hands out again what vanished workers hold. */
  tidy(): Promise<void>;
}

/** Whose turn it is. */
export interface TenantsInTurn {
  /** Tenants that have all that they may. */
  readonly full: readonly string[];
  /** Tenants that had their turn, the last one last: whoever isn't among them comes first. */
  readonly served: readonly string[];
}

const NAME = "work";

/**
 * The library's own way to take a job knows no tenants: one with a backlog would hold every place. `<=`: a clock may stand
 * still between a job's being sent and its being looked for. What is held is due at infinity, until somebody calls it.
 */
const TAKE = `
  update pgboss.job j
  set state = 'active', started_on = now(), start_after = 'infinity',
    retry_count = case when j.started_on is null then j.retry_count else j.retry_count + 1 end
  where j.name = $1 and j.id = (
    select n.id from pgboss.job n
    left join unnest($4::text[]) with ordinality as s (tenant_id, turn) on s.tenant_id = n.data ->> 'tenant_id'
    where n.name = $1 and n.state < 'active' and (n.start_after <= now() or ($2::boolean and n.state = 'retry'))
      and n.data ->> 'tenant_id' <> all($3::text[])
    order by coalesce(s.turn, 0), n.created_on, n.id
    limit 1
    for update of n skip locked)
  returning j.id, j.data, j.started_on::text as since`;

const HELD = "name = $1 and id = $2::uuid and state = 'active' and started_on = $3::timestamptz";

const KEEP = `update pgboss.job set started_on = now() where ${HELD} returning started_on::text as since`;

const COMPLETE = `delete from pgboss.job where ${HELD}`;

const GIVE_BACK = `
  update pgboss.job
  set state = 'retry', start_after = now() + retry_delay * 2 ^ least(retry_count, 16) * (1 + random()) * interval '1 second'
  where ${HELD}`;

const PUT_OFF = `
  update pgboss.job set state = 'created', started_on = null, start_after = now() + $4::integer * interval '1 second'
  where ${HELD}`;

const PUT_BEHIND = `
  update pgboss.job
  set state = 'created', started_on = null, start_after = least(start_after, now() + $4::integer * interval '1 second')
  where ${HELD}`;

const CALL =
  "update pgboss.job set start_after = now() where name = $1 and id = $2::uuid and state in ('created', 'active')";

/** The queue's tables are the owner's to make: this one only works in them. */
export function openQueue(command: QueueCommand): Queue {
  const boss = new PgBoss({
    db: {
      async executeSql(text, values) {
        const { rows } = await command(text, values);
        return { rows: [...rows] };
      },
    },
    migrate: false,
    supervise: false,
    schedule: false,
  });
  return {
    async take(early, { full, served }) {
      const { rows } = await command(TAKE, [NAME, early, full, served]);
      return (rows[0] as unknown as Job | undefined) ?? null;
    },
    async keep(job) {
      const { rows } = await command(KEEP, [NAME, job.id, job.since]);
      return { ...job, ...rows[0] };
    },
    async complete(job) {
      await command(COMPLETE, [NAME, job.id, job.since]);
    },
    async giveBack(job) {
      await command(GIVE_BACK, [NAME, job.id, job.since]);
    },
    async putOff(job, seconds) {
      await command(PUT_OFF, [NAME, job.id, job.since, seconds]);
    },
    async putBehind(job, seconds) {
      await command(PUT_BEHIND, [NAME, job.id, job.since, seconds]);
    },
    async call(id) {
      await command(CALL, [NAME, id]);
    },
    async tidy() {
      await boss.maintain();
    },
  };
}
