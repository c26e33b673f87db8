import { access, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { LIMITS } from "../../domain/limits.js";
import { rotateMaster } from "../rotate-master.js";
import {
  custodyConformance,
  keyId,
  MASTER_A,
  type Opener,
  PLACE,
  subjectId,
  TestClock,
  tenantId,
} from "./conformance.js";
import { ledgerConformance, ledgerLine } from "./ledger-conformance.js";
import { openingConformance } from "./opening-conformance.js";
import { openPostgresCustody } from "./postgres.js";
import { postgresVault } from "./postgres-vault.js";
import { vaultConformance } from "./vault-conformance.js";

const T = tenantId(1);
const S = subjectId(1);
const K = keyId(1);

function suite(name: string, serverUrl: string): void {
  const databases = ["custody_1", "custody_2", "custody_3"];
  let turn = 0;

  function urlOf(database: string): string {
    return Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;
  }

  async function run(
    url: string,
    ...statements: readonly string[]
  ): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      let rows: readonly Record<string, unknown>[] = [];
      for (const statement of statements) rows = (await client.query(statement)).rows;
      return rows;
    } finally {
      await client.end();
    }
  }

  /** An empty database, used again after some more of them. */
  async function freshUrl(): Promise<string> {
    turn += 1;
    const url = urlOf(databases[turn % databases.length] ?? "");
    await run(url, "drop schema if exists muniment_custody cascade");
    return url;
  }

  function openerOf(url: string): Opener {
    return ({ value = MASTER_A, expect = "new-or-existing", clock = new TestClock() } = {}) =>
      openPostgresCustody({ url, masterKey: { value }, clock, expect });
  }

  beforeAll(async () => {
    for (const database of databases) {
      await run(serverUrl, `drop database if exists ${database}`, `create database ${database}`);
    }
  });
  afterAll(async () => {
    for (const database of databases)
      await run(serverUrl, `drop database if exists ${database} with (force)`);
  });

  custodyConformance(name, async () => openerOf(await freshUrl()));
  openingConformance(name, async () => openerOf(await freshUrl()));
  ledgerConformance(name, async () => openerOf(await freshUrl()));
  vaultConformance(name, async () => {
    const url = await freshUrl();
    return { vault: postgresVault(url), open: openerOf(url) };
  });

  it("S2-29 five that open an empty database at once make one custody, one master key file and one key for a tenant", async () => {
    const url = await freshUrl();
    const dir = await mkdtemp(join(tmpdir(), "muniment-master-"));
    const masterKey = { file: join(dir, "deep", "master.key") };
    const clock = new TestClock();
    const five = await Promise.all(
      [1, 2, 3, 4, 5].map(() =>
        openPostgresCustody({ url, masterKey, clock, expect: "new-or-existing" }),
      ),
    );
    expect(new Set(five.map(({ custodyId }) => custodyId)).size).toBe(1);
    expect(await readdir(join(dir, "deep"))).toEqual(["master.key"]);
    const tenantKeys = await Promise.all(five.map((keyring) => keyring.createTenantKey(T)));
    const subjectKeys = await Promise.all(five.map((keyring) => keyring.createSubjectKey(T, S, K)));
    for (const keys of [tenantKeys, subjectKeys]) {
      expect(new Set(keys.map((key) => Buffer.from(key.mac("p", "x")).toString("hex"))).size).toBe(
        1,
      );
    }
    await Promise.all(five.map((keyring) => keyring.close()));
    await rm(dir, { recursive: true });
  });

  it("S2-29 whoever loses the race for an empty database makes no master key file of its own", async () => {
    const url = await freshUrl();
    const dir = await mkdtemp(join(tmpdir(), "muniment-master-"));
    const clock = new TestClock();
    const files = [1, 2, 3, 4, 5].map((n) => join(dir, `${n}.key`));
    const opened = await Promise.allSettled(
      files.map((file) =>
        openPostgresCustody({ url, masterKey: { file }, clock, expect: "new-or-existing" }),
      ),
    );
    expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await readdir(dir)).toHaveLength(1);
    for (const outcome of opened) if (outcome.status === "fulfilled") await outcome.value.close();
    await rm(dir, { recursive: true });
  });

  it("S5-08 a key destroyed by one process is refused by every other within the cache's limit", async () => {
    const open = openerOf(await freshUrl());
    const clock = new TestClock();
    const [one, two] = [await open({ clock }), await open({ clock })];
    await one.createSubjectKey(T, S, K);
    expect(await two.subjectKey(T, S, K)).not.toBeNull();
    await one.destroySubjectKey(T, S, K);
    clock.advance(LIMITS.keySecondsMax);
    expect(await two.subjectKey(T, S, K)).toBeNull();
    await Promise.all([one.close(), two.close()]);
  });

  it("S5-08 creations that race with a destruction leave no key behind", async () => {
    const open = openerOf(await freshUrl());
    const [one, two, three] = [await open(), await open(), await open()];
    for (let n = 1; n <= 30; n += 1) {
      await Promise.allSettled([
        one.createSubjectKey(T, S, keyId(n)),
        two.destroySubjectKey(T, S, keyId(n)),
        one.createSubjectKey(T, S, keyId(n)),
      ]);
      expect(await three.subjectKey(T, S, keyId(n))).toBeNull();
    }
    await Promise.all([one.close(), two.close(), three.close()]);
  });

  it("S2-29 processes that run go on while the master key is changed, each way twice", async () => {
    const url = await freshUrl();
    const dir = await mkdtemp(join(tmpdir(), "muniment-master-"));
    const masterKey = { file: join(dir, "master.key") };
    const clock = new TestClock();
    const open = () => openPostgresCustody({ url, masterKey, clock, expect: "new-or-existing" });
    const [one, two] = [await open(), await open()];
    const sealed = (await one.createSubjectKey(T, S, K)).seal(PLACE, "kept");
    for (const n of [2, 4]) {
      const creations = Array.from({ length: 8 }, (_, at) =>
        one.createSubjectKey(T, S, keyId(10 * n + at)),
      );
      const rotation = await rotateMaster(postgresVault(url), masterKey.file, new Date(n * 1_000));
      expect(rotation.before).not.toBeNull();
      await Promise.all(creations);
      clock.advance(LIMITS.keySecondsMax);
      expect((await two.subjectKey(T, S, K))?.open(PLACE, sealed)).toBe("kept");
      expect(await two.createSubjectKey(T, S, keyId(n))).not.toBeNull();
      expect(await one.subjectKey(T, S, keyId(n))).not.toBeNull();
    }
    await Promise.all([one.close(), two.close()]);
    const three = await open();
    for (const n of [2, 20, 27, 40, 47])
      expect(await three.subjectKey(T, S, keyId(n))).not.toBeNull();
    await three.close();
    await rm(dir, { recursive: true });
  });

  it("S5-08 a destroyed key leaves a note without its bytes", async () => {
    const url = await freshUrl();
    const keyring = await openerOf(url)();
    await keyring.createSubjectKey(T, S, K);
    await keyring.destroySubjectKey(T, S, K);
    const rows = await run(
      url,
      "select key_id, wrapped, destroyed_at is not null as noted from muniment_custody.key",
    );
    expect(rows).toEqual([{ key_id: K, wrapped: null, noted: true }]);
    await keyring.close();
  });

  it("S2-29 a key is committed durably on a server that commits lazily by default", async () => {
    const url = await freshUrl();
    await run(url, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
    const keyring = await openerOf(url)();
    const before = await run(url, "select pg_current_wal_flush_lsn() as at");
    await keyring.createSubjectKey(T, S, K);
    // What is committed lazily is flushed by the WAL writer later: this one's commit record already is.
    const [row] = await run(
      url,
      `select pg_current_wal_flush_lsn() > '${String(before[0]?.at)}'::pg_lsn as flushed`,
    );
    expect(row?.flushed).toBe(true);
    await keyring.close();
    await run(url, `alter database ${new URL(url).pathname.slice(1)} reset synchronous_commit`);
  });

  it("S2-29 a wrapped key that is moved to another subject doesn't unwrap", async () => {
    const url = await freshUrl();
    const keyring = await openerOf(url)();
    await keyring.createSubjectKey(T, S, K);
    await run(url, `update muniment_custody.key set subject_id = '${subjectId(2)}'`);
    await expect(keyring.subjectKey(T, subjectId(2), K)).rejects.toThrow(
      "doesn't open in its place",
    );
    await keyring.close();
  });

  it("S2-29 a custody that has lost its header refuses, and isn't started anew", async () => {
    const url = await freshUrl();
    const open = openerOf(url);
    await (await open()).close();
    await run(url, "delete from muniment_custody.header");
    await expect(open()).rejects.toThrow("has lost its header");
    expect(await run(url, "select 1 from muniment_custody.header")).toEqual([]);
  });

  it("S2-29 an existing custody opens for a role that may create nothing", async () => {
    const url = await freshUrl();
    await (await openerOf(url)()).close();
    await run(
      url,
      "drop role if exists custody_user",
      "create role custody_user login",
      "grant usage on schema muniment_custody to custody_user",
      "grant select, insert, update on all tables in schema muniment_custody to custody_user",
    );
    const keyring = await openerOf(Object.assign(new URL(url), { username: "custody_user" }).href)({
      expect: "existing",
    });
    await keyring.createSubjectKey(T, S, K);
    await keyring.destroySubjectKey(T, S, K);
    await keyring.close();
    await run(url, "drop owned by custody_user", "drop role custody_user");
  });

  it("S5-08 two processes number the lines of one ledger without a gap", async () => {
    const open = openerOf(await freshUrl());
    const [one, two] = [await open(), await open()];
    const appended = await Promise.all(
      Array.from({ length: 40 }, (_, n) => (n % 2 ? one : two).ledger.append(T, [ledgerLine(n)])),
    );
    expect(
      appended
        .flat()
        .map(({ seq }) => seq)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(await one.ledger.read(T, 0, 100)).toHaveLength(40);
    await Promise.all([one.close(), two.close()]);
  });

  it.each([
    ["taken out", "delete from muniment_custody.ledger where seq = 2", 2],
    [
      "edited",
      "update muniment_custody.ledger set line = replace(line, 'erase', 'other') where seq = 2",
      2,
    ],
    ["moved", `update muniment_custody.ledger set tenant_id = '${tenantId(3)}' where seq = 1`, 1],
  ])(
    "S5-09 a line that was %s breaks its tenant's ledger alone, by id",
    async (_, statement, seq) => {
      const url = await freshUrl();
      const keyring = await openerOf(url)();
      const { ledger } = keyring;
      for (const tenant of [T, tenantId(2)]) await ledger.append(tenant, [1, 2, 3].map(ledgerLine));
      await run(url, `${statement} and tenant_id = '${T}'`);
      await expect(ledger.read(T, 0, 10)).rejects.toThrow(
        `the erasure ledger of tenant ${T} is broken at line ${seq}`,
      );
      expect(await ledger.read(tenantId(2), 0, 10)).toHaveLength(3);
      await keyring.close();
    },
  );

  it("S5-09 a ledger whose last line was taken out has no head", async () => {
    const url = await freshUrl();
    const keyring = await openerOf(url)();
    await keyring.ledger.append(T, [1, 2].map(ledgerLine));
    await run(url, "delete from muniment_custody.ledger where seq = 2");
    await expect(keyring.ledger.head(T)).rejects.toThrow(`tenant ${T} is broken at line 2`);
    await keyring.close();
  });

  it("S5-09 a custody of before the ledger gets an empty one, and keeps its keys", async () => {
    const url = await freshUrl();
    const open = openerOf(url);
    const before = await open();
    const sealed = (await before.createSubjectKey(T, S, K)).seal(PLACE, "kept");
    await before.close();
    await run(
      url,
      "drop table muniment_custody.ledger, muniment_custody.ledger_head",
      "update muniment_custody.header set format = 1",
    );
    const five = await Promise.all([1, 2, 3, 4, 5].map(() => open({ expect: "existing" })));
    const [keyring] = five;
    expect((await keyring?.subjectKey(T, S, K))?.open(PLACE, sealed)).toBe("kept");
    expect(await keyring?.ledger.append(T, [ledgerLine(1)])).toMatchObject([{ seq: 1 }]);
    await Promise.all(five.map((each) => each.close()));
  });

  it("S2-29 a custody whose connections were cut goes on with new ones", async () => {
    const url = await freshUrl();
    const clock = new TestClock();
    const keyring = await openerOf(url)({ clock });
    await keyring.createSubjectKey(T, S, K);
    clock.advance(LIMITS.keySecondsMax);
    await run(
      url,
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'muniment custody' and datname = current_database()",
    );
    // The first statement may still meet the cut connection; none may be answered wrongly, or end the process.
    const first = await keyring.subjectKey(T, S, K).catch((error: unknown) => error);
    if (first instanceof Error) expect(first).toMatchObject({ kind: "unavailable" });
    expect(await keyring.subjectKey(T, S, K)).not.toBeNull();
    await keyring.close();
  });
}

describe("postgres 18", () => suite("postgres 18", inject("postgresUrl")));

const oldest = inject("postgres15Url");
describe.skipIf(oldest === null)("postgres 15", () => suite("postgres 15", oldest ?? ""));

describe("a server that isn't there", () => {
  it("S2-29 is unavailable, without the URL or its password in the message, and makes no master key", async () => {
    const file = join(tmpdir(), `muniment-none-${process.pid}`, "master.key");
    const url = "postgres://someone:hunter2@127.0.0.1:1/none";
    const opening = openPostgresCustody({
      url,
      masterKey: { file },
      clock: new TestClock(),
      expect: "new-or-existing",
    });
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: "unavailable",
      message:
        "the custody database doesn't answer as it should: nothing listens there (MUNIMENT_CUSTODY_URL)",
    });
    await expect(access(file)).rejects.toThrow();
  });
});
