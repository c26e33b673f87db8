import { expect, it } from "vitest";
import { forPeople } from "./for-people.js";
import { showStores } from "./stores.js";

function shown(stores: Parameters<typeof showStores>[0]): readonly string[] {
  const lines: string[] = [];
  showStores(stores, forPeople({ out: (line) => void lines.push(line), err: () => undefined }));
  return lines.flatMap((line) => line.split("\n"));
}

it("of the stores that were searched each is named, and those in which something is or was are counted", () => {
  expect(
    shown([
      { name: "event", rows_removed: 0, found: 0 },
      { name: "turn", rows_removed: 12, found: 0 },
      { name: "view", rows_removed: 0, found: 1 },
    ]),
  ).toEqual([
    "store  removed  found",
    "─────  ───────  ─────",
    "turn        12      0",
    "view         0      1",
    "nothing removed from or found in 1 store: event",
  ]);
  expect(shown([{ name: "event", found: 0 }])).toEqual(["nothing found in 1 store: event"]);
  expect(shown([{ name: "turn", found: 2 }])).toEqual([
    "store  found",
    "─────  ─────",
    "turn       2",
  ]);
});
