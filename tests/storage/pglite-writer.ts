// Opens an embedded database in a process of its own and writes until it is killed, telling each write that was acknowledged.
import { lockDirectory } from "../../src/storage/drivers/directory-lock.js";
import { openPglite } from "../../src/storage/drivers/pglite.js";

const [dir = "", templateFile = "", tenantName = ""] = process.argv.slice(2);
const lock = await lockDirectory(dir);
const store = await openPglite({
  data: lock,
  templateFile,
  clock: { now: () => new Date() },
  onAlarm: () => undefined,
});
const { tenantId } = await store.directory.tenant(tenantName);
process.stdout.write("open\n");
for (let index = 0; ; index += 1) {
  const name = `${process.pid}_${index}`;
  await store.directory.workspace(tenantId, name);
  process.stdout.write(`${name}\n`);
}
