import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { startService } from "../src/compose/serve.js";
import { lockDirectory } from "../src/storage/drivers/directory-lock.js";
import { temporaryDirectory } from "./setup/databases.js";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** True where somebody answers. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

it("S5-14 a service that can't finish its start leaves neither its port nor its directory taken (pglite)", async () => {
  const parent = await temporaryDirectory();
  const dataDir = join(parent, "data");
  const port = await freePort();
  const given = { dataDir, masterKeyFile: join(parent, "master.key"), host: "127.0.0.1", port };
  const options = { announce: true, logLevelDefault: "fatal" } as const;
  const starting = startService(given, options).then(
    () => null,
    (error: unknown) => error,
  );
  // The directory is held before the database opens, and its record is written again once the service listens.
  while (!existsSync(join(dataDir, "lock.json"))) await setImmediate();
  const inTheWay = join(dataDir, `lock.json.${process.pid}`);
  mkdirSync(inTheWay);
  expect(await starting).toMatchObject({ code: "EISDIR" });
  expect(await isOpen(port)).toBe(false);
  rmdirSync(inTheWay);
  await (await lockDirectory(dataDir)).release();
});
