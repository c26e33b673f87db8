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
}

/** A durable queue: a job that was taken comes again until it is completed, or its worker's time runs out. */
export interface Queue {
  /** Takes the next job, of none of those tenants; null where there is none. With `early`, also one that waits for another try. */
  take(early: boolean, exceptOf: readonly string[]): Promise<Job | null>;
  complete(job: Job): Promise<void>;
  /** Holds on to a job that takes long: its worker hasn't vanished. */
  keep(job: Job): Promise<void>;
  /** Gives the job back: it comes again for another try, each time after a longer while. */
  giveBack(job: Job): Promise<void>;
  /** Puts the job off, as if it hadn't been taken: it comes again after as many seconds. */
  putOff(job: Job, seconds: number): Promise<void>;
  /** Hands out again what vanished workers hold, and forgets what was completed long ago. */
  tidy(): Promise<void>;
}

const NAME = "work";

/**
 * The library's own way to take a job knows no tenants: one whose jobs hang would hold every place. `<=`: a clock may stand
 * still between a job's being sent and its being looked for.
 */
const TAKE = `
  update pgboss.job j
  set state = 'active', started_on = now(),
    retry_count = case when j.started_on is null then j.retry_count else j.retry_count + 1 end
  where j.name = $1 and j.id = (
    select n.id from pgboss.job n
    where n.name = $1 and n.state < 'active' and (n.start_after <= now() or ($2::boolean and n.state = 'retry'))
      and n.data ->> 'tenant_id' <> all($3::text[])
    order by n.priority desc, n.created_on, n.id
    limit 1
    for update skip locked)
  returning j.id, j.data`;

const KEEP =
  "update pgboss.job set started_on = now() where name = $1 and id = $2::uuid and state = 'active'";

const PUT_OFF = `
  update pgboss.job set state = 'created', started_on = null, start_after = now() + $3::integer * interval '1 second'
  where name = $1 and id = $2::uuid and state = 'active'`;

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
    async take(early, exceptOf) {
      const { rows } = await command(TAKE, [NAME, early, exceptOf]);
      return (rows[0] as unknown as Job | undefined) ?? null;
    },
    async keep(job) {
      await command(KEEP, [NAME, job.id]);
    },
    async complete(job) {
      await boss.complete(NAME, job.id);
    },
    async giveBack(job) {
      await boss.fail(NAME, job.id);
    },
    async putOff(job, seconds) {
      await command(PUT_OFF, [NAME, job.id, seconds]);
    },
    async tidy() {
      await boss.maintain();
    },
  };
}
