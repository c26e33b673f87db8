import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  parseLine,
  parseManifest,
  parseSubjectLine,
} from "./archive.js";
import { MunimentError } from "./errors.js";

const MANIFEST = {
  kind: "manifest",
  format: ARCHIVE_FORMAT,
  version: ARCHIVE_VERSION,
  of: "subject",
  tenant: "bank-au",
};
const SUBJECT = {
  kind: "subject",
  subject_id: "01900000-0000-7000-8000-000000000000",
  subject: "jane",
  created_at: "2026-01-01T00:00:00Z",
};

function refusal(call: () => unknown): MunimentError | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof MunimentError) return error;
    throw error;
  }
}

describe("archive lines", () => {
  it("S5-14 any object with a kind is the same line after it was written and read, whatever its text", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
        fc.string({ unit: "binary" }),
        (rest, kind) => {
          const text = JSON.stringify({ ...rest, kind });
          expect(text).not.toContain("\n");
          expect(parseLine(text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it("S5-14 what is no line is refused, and nothing of it is repeated", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ minLength: 4 }), fc.json()), (text) => {
        const refused = refusal(() => parseLine(text));
        if (refused === null) return;
        expect(refused.kind).toBe("invalid_input");
        expect(refused.message).toMatch(/^a line of the archive [a-z' JSON]+$/);
      }),
    );
  });

  it.each([
    ["another format", { format: "csv" }],
    ["a version to come", { version: ARCHIVE_VERSION + 1 }],
    ["no version", { version: undefined }],
    ["a line of something else", { kind: "turn" }],
    ["an archive of nothing known", { of: "planet" }],
  ])("S5-14 a manifest of %s isn't read any further", (_, change) => {
    expect(parseManifest(MANIFEST)).toBe(MANIFEST);
    expect(refusal(() => parseManifest({ ...MANIFEST, ...change } as never))).toMatchObject({
      kind: "invalid_input",
      field: "archive",
    });
  });

  it.each([
    ["an id that isn't ours", { subject_id: "jane" }],
    ["nobody", { subject: " " }],
    ["a name with a control character", { subject: "a\u0007" }],
    ["a time without a zone", { created_at: "2026-01-01T00:00:00" }],
    ["another kind", { kind: "turn" }],
  ])("S5-14 a subject's line with %s is refused by its field", (_, change) => {
    expect(parseSubjectLine(SUBJECT, "subject").subject).toBe("jane");
    const refused = refusal(() => parseSubjectLine({ ...SUBJECT, ...change }, "subject"));
    expect(refused).toMatchObject({ kind: "invalid_input" });
    expect(refused?.field).toMatch(/^subject/);
  });
});
