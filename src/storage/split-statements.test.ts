import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitStatements } from "./split-statements.js";

describe("splitStatements", () => {
  it.each([
    ["two statements", "select 1; select 2;", ["select 1", "select 2"]],
    ["a last one without a semicolon", "select 1;\nselect 2\n", ["select 1", "select 2"]],
    ["nothing but comments", "-- a; b\n/* c; d */;", []],
    ["a comment before a statement", "-- a; b\nselect 1;", ["-- a; b\nselect 1"]],
    ["a semicolon in a string", "select 'a;''b'; select 2", ["select 'a;''b'", "select 2"]],
    ["a backslash in a plain string", "select 'a\\'; select 2", ["select 'a\\'", "select 2"]],
    [
      "a semicolon in an escape string",
      "select E'a\\';b'; select 2",
      ["select E'a\\';b'", "select 2"],
    ],
    [
      "a name that ends with e before a string",
      "select date'2026-01-01\\'; select 2",
      ["select date'2026-01-01\\'", "select 2"],
    ],
    [
      "a semicolon in a quoted name",
      'select 1 as "a;""b"; select 2',
      ['select 1 as "a;""b"', "select 2"],
    ],
    ["a dollar quote", "do $$ begin; a; end $$; select 2", ["do $$ begin; a; end $$", "select 2"]],
    [
      "a tagged dollar quote around a plain one",
      "do $x$ $$;$$; $x$; select 2",
      ["do $x$ $$;$$; $x$", "select 2"],
    ],
    ["a parameter, which is no dollar quote", "select $1; select $2", ["select $1", "select $2"]],
    ["a dollar inside a name", "select a$b$c; select b$c", ["select a$b$c", "select b$c"]],
    [
      "a nested block comment",
      "select /* /* ; */ ; */ 1; select 2",
      ["select /* /* ; */ ; */ 1", "select 2"],
    ],
    ["an open string", "select 'a; b", ["select 'a; b"]],
  ])("keeps %s whole", (_name, text, statements) => {
    expect(splitStatements(text)).toEqual(statements);
  });

  it("hides no semicolon and invents none, whatever stands in strings", () => {
    const piece = fc.oneof(
      fc.string().map((text) => `'${text.replaceAll("'", "''")}'`),
      fc.string().map((text) => `$q$${text.replaceAll("$", "")}$q$`),
      fc.string().map((text) => `"${text.replaceAll('"', '""')}"`),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const statements = pieces.map((text) => `select ${text}`);
        expect(splitStatements(`${statements.join(";\n")};`)).toEqual(
          statements.map((text) => text.trim()),
        );
      }),
    );
  });
});
