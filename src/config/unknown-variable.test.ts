import { expect, it } from "vitest";
import { readSettings } from "./settings.js";

it.each([
  ["MUNIMENT_DATADIR", "write MUNIMENT_DATA_DIR if that is meant"],
  ["MUNIMENT_PROT", "write MUNIMENT_PORT if that is meant"],
  ["MUNIMENT_COLOUR_OF_THE_SKY", "unset it: docs/cli.md lists"],
])(
  "a variable that no setting has is told which is meant, or that there is none: %s",
  (name, next) => {
    expect(() => readSettings({}, { [name]: "/x" })).toThrow(
      expect.objectContaining({ kind: "invalid_input", nextStep: expect.stringContaining(next) }),
    );
  },
);
