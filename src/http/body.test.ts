import { describe, expect, it } from "vitest";
import { MunimentError } from "../domain/errors.js";
import { readBody, refuseEncoded } from "./body.js";

const bytes = (text: string) => new TextEncoder().encode(text);

function refusalOf(body: Uint8Array): MunimentError {
  try {
    readBody(body);
  } catch (error) {
    if (error instanceof MunimentError) return error;
  }
  throw new Error("it wasn't refused");
}

const NUMBERS = { a: [2 ** 53 - 1, 1 - 2 ** 53, 0.1, 6.02e23, 1e-300, 0, -0] };
const TEXTS = { a: '725653563933458432 " 1e400', "725653563933458432": 1 };

function nested(levels: number): string {
  return `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
}

describe("request body", () => {
  it.each([
    ["", {}],
    ["{}", {}],
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"constructor":{"prototype":1}}', { constructor: { prototype: 1 } }],
    ['{"text":"a __proto__ in prose"}', { text: "a __proto__ in prose" }],
    ['{"a":[9007199254740991,-9007199254740991,0.1,6.02e23,1e-300,0e-400,-0.0]}', NUMBERS],
    ['{"a":"725653563933458432 \\" 1e400","725653563933458432":1}', TEXTS],
  ])("reads %j", (text, body) => {
    expect(readBody(bytes(text))).toEqual(body);
  });

  it("leaves bad text to the services, so that one bad row doesn't sink a batch", () => {
    expect(readBody(bytes('{"rows":[{"text":"\\u0000\\ud83d"}]}'))).toEqual({
      rows: [{ text: "\u0000\ud83d" }],
    });
  });

  it.each([
    ["text that isn't JSON", bytes('{"a": secret}'), "body"],
    ["half a document", bytes('{"a":'), "body"],
    ["two documents", bytes("{}{}"), "body"],
    ["NaN", bytes('{"a":NaN}'), "body"],
    ["a list", bytes('["secret"]'), "body"],
    ["a string", bytes('"secret"'), "body"],
    ["bytes that aren't UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), "body"],
    ["UTF-16", new Uint8Array(new Uint16Array([0x7b, 0x7d]).buffer), "body"],
    ["__proto__", bytes('{"a":[{"__proto__":{"secret":1}}]}'), "a.0.__proto__"],
    ["__proto__ in escapes", bytes('{"\\u005f_proto__":{"secret":1}}'), "__proto__"],
    ["a whole number above 2^53 - 1", bytes('{"a":{"id":725653563933458432}}'), "a.id"],
    ["the first whole number above it", bytes('{"a":[1,-9007199254740992]}'), "a.1"],
    ["one with a fraction", bytes('{"a":9007199254740993.0}'), "a"],
    ["a number that comes out as 0", bytes('{"b":"\\\\","a":1e-400}'), "a"],
    ["a number that comes out as none", bytes('{"a":[{"b":-1e400}]}'), "a.0.b"],
    ["a changed number under a key that comes again", bytes('{"a":1e400,"a":1}'), "body"],
    ["nesting of 37", bytes(nested(36)), "body"],
    ["nesting of 200,000", bytes(nested(200_000)), "body"],
  ])("S5-14 refuses %s and doesn't repeat it", (_name, body, field) => {
    const refusal = refusalOf(body);
    expect(refusal).toMatchObject({ kind: "invalid_input", field });
    expect(refusal.cause).toBeUndefined();
    expect(refusal.message).not.toContain("secret");
  });

  it.each([
    [{}, null],
    [{ "content-type": "application/json; charset=UTF-8", "content-encoding": "identity" }, null],
    [{ "content-type": 'application/json;charset="utf8"' }, null],
    [{ "content-type": "application/json; charset=iso-8859-1" }, "content-type"],
    [{ "content-type": "application/json", "content-encoding": "gzip" }, "content-encoding"],
  ])("S5-14 of a body that says to be written as %j, `%s` is refused", (headers, field) => {
    const refuse = () => refuseEncoded(headers);
    if (field === null) expect(refuse).not.toThrow();
    else expect(refuse).toThrow(expect.objectContaining({ kind: "invalid_input", field }));
  });

  it("takes nesting of 36", () => {
    expect(() => readBody(bytes(nested(35)))).not.toThrow();
  });
});
