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
  /** Takes the next jobs, at most `count`. With `early`, also those that wait for another try. */
  take(count: number, early: boolean): Promise<readonly Job[]>;
  complete(job: Job): Promise<void>;
  /** Gives the job back: it comes again after a while. */
  giveBack(job: Job): Promise<void>;
  /** Hands out again what vanished workers hold, and forgets what was completed long ago. */
  tidy(): Promise<void>;
}

const NAME = "work";

/** The queue's tables are the owner's to make: this one only works in them. */
export function openQueue(command: QueueCommand): Queue {
  let failure: unknown = null;
  const boss = new PgBoss({
    db: {
      async executeSql(text, values) {
        try {
          const { rows } = await command(text, values);
          return { rows: [...rows] };
        } catch (error) {
          failure = error;
          throw error;
        }
      },
    },
    migrate: false,
    supervise: false,
    schedule: false,
  });
  return {
    async take(count, early) {
      failure = null;
      const options = { batchSize: count, ignoreStartAfter: early };
      const jobs = await boss.fetch<JobRef>(NAME, options);
      // The library answers a command that failed with no jobs.
      if (failure !== null) throw failure;
      return jobs;
    },
    async complete(job) {
      await boss.complete(NAME, job.id);
    },
    async giveBack(job) {
      await boss.fail(NAME, job.id);
    },
    async tidy() {
      await boss.maintain();
    },
  };
}
