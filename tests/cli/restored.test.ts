import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../setup/databases.js";
import { MunimentProcess } from "./muniment-process.js";

const AGAIN = "what was erased since is erased again";

let muniment: MunimentProcess;
let data: string;

/** What a command that worked said on stderr, in one line. */
async function said(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await muniment.run(...args, "--data-dir", data);
  expect(code, stderr).toBe(0);
  return stderr.replace(/\s+/g, " ");
}

beforeAll(async () => {
  const home = await temporaryDirectory();
  data = join(home, "data");
  muniment = new MunimentProcess(home);
});

it("S5-09 restore says that people will be erased again, and the first start that they were", async () => {
  const chats = join(data, "..", "chats.jsonl");
  const backup = join(data, "..", "backup");
  const line = { session: "s", text: "hello", observed_at: "2026-03-01T09:30:00Z" };
  writeFileSync(chats, JSON.stringify(line));
  await said("route", "apply", "routes/chat.yaml", "--tenant", "t");
  await said("import", chats, "--route", "chat", "--subject", "ana", "--tenant", "t");
  await said("backup", backup);
  await said("erase", "ana", "--tenant", "t");
  renameSync(join(data, "db"), join(data, "..", "db"));
  expect(await said("restore", backup)).toContain("the next start erases again");
  expect(await said("route", "list", "--tenant", "t")).toContain(AGAIN);
  expect(await said("route", "list", "--tenant", "t")).not.toContain(AGAIN);
});
