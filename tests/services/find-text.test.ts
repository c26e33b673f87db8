import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesOf } from "../../src/compose/stored-files.js";
import { describeEachDatabase, temporaryDirectory } from "../setup/databases.js";
import { openTestMuniment, routeBody } from "../support/muniment.js";

describeEachDatabase("finding a text", (database) => {
  it("S5-02 files are searched for the only tenant alone: where there are others, they aren't one's own", async () => {
    const m = await openTestMuniment(database);
    const dir = await temporaryDirectory();
    await mkdir(join(dir, "exports"));
    await writeFile(join(dir, "exports", "jane.jsonl"), "a quokka");
    Object.assign(m.services, { files: filesOf(dir) });
    await m.operator().putRoute("chat", routeBody());
    const found = async (tenant: string) => {
      const { stores, files_left_out } = await m.privacy(tenant).findText({ text: "quokka" });
      return [files_left_out, ...stores.filter((store) => store.found > 0)];
    };
    expect(await found("bank-au")).toEqual([false, { name: "files.other", found: 1 }]);
    await m.operator("bank-nz").putRoute("chat", routeBody());
    expect(await found("bank-au")).toEqual([true]);
    expect(await found("bank-nz")).toEqual([true]);
  });
});
