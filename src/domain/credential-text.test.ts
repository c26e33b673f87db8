import { describe, expect, it } from "vitest";
import {
  findCredential,
  isChainOfThought,
  refuseChainOfThought,
  refuseCredential,
} from "./credential-text.js";

// Samples are put together here, so that no scanner of repositories takes them for real ones.
const body = (length: number): string =>
  "aB3dE5gH7jK9".repeat(Math.ceil(length / 12)).slice(0, length);
const jwt = (signature: string): string => `eyJhbGciOiJub25lIn0.eyJzdWIiOiJqYW5lIn0.${signature}`;

describe("credentials in text", () => {
  it.each([
    ["a signed JWT", `token ${jwt("c2ln_nYXR1cmU")} end`, "token"],
    ["an unsigned JWT", jwt(""), "token"],
    ["a JWT inside JSON", `{"t":"${jwt("c2ln")}"}`, "token"],
    ["a bearer header", "Authorization: Bearer sk-test-51JQexampleexampleexample", "token"],
    ["a basic header", "authorization: Basic amFuZTpodW50ZXIy", "token"],
    ["a bearer token in prose", `use bearer ${body(24)}`, "token"],
    ["an AWS key id", `AKIA${"A1B2C3D4E5F6G7H8"}`, "token"],
    ["a GitHub token", `ghp_${body(36)}`, "token"],
    ["a fine-grained GitHub token", `github_pat_${body(22)}`, "token"],
    ["a GitLab token", `glpat-${body(20)}`, "token"],
    ["a Slack token", `xoxb-${body(24)}`, "token"],
    ["a Slack hook", `https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/${body(24)}`, "token"],
    ["a Stripe key", `sk_live_${body(24)}`, "token"],
    ["a Stripe hook secret", `whsec_${body(32)}`, "token"],
    ["an OpenAI key", `sk-proj-${body(40)}`, "token"],
    ["an Anthropic key", `sk-ant-api03-${body(40)}`, "token"],
    ["a Google key", `AIza${body(35)}`, "token"],
    ["an npm token", `npm_${body(36)}`, "token"],
    ["a Hugging Face token", `hf_${body(34)}`, "token"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIB", "private_key"],
    ["a PKCS 8 key", "-----BEGIN PRIVATE KEY-----", "private_key"],
    ["a PGP key", "-----BEGIN PGP PRIVATE KEY BLOCK-----", "private_key"],
    ["a URL with a password", "postgres://app:hunter2@db.internal/bank", "url_password"],
    ["a URL with a password and no user", "redis://:hunter2@cache:6379", "url_password"],
    ["an assigned password", "password=correcthorse", "password"],
    ["a password in prose", "my password: hunter2!", "password"],
    ["a password said", "the password is Tr0ub4dor&3", "password"],
    ["an environment variable", "DB_PASSWORD=s3cr3tvalue", "password"],
    ["a JSON field", '{"password":"correcthorse"}', "password"],
    ["JSON inside JSON", '"{\\"client_secret\\":\\"correcthorse\\"}"', "password"],
    ["an API key in YAML", `api_key: ${body(20)}`, "password"],
    ["a query string", "/login?user=jane&password=hunter22&x=1", "password"],
    ["an access token", `access_token=${body(30)}`, "password"],
    ["a secret access key", `aws_secret_access_key = "${body(40)}"`, "password"],
    ["the second of two", "password: required, then password: hunter2", "password"],
  ])("S1-36 finds %s", (_title, text, kind) => {
    expect(findCredential(text)).toBe(kind);
  });

  it.each([
    "my password doesn't work",
    "I forgot my password: what now?",
    "Password: must be 8 characters long",
    "the password is case-sensitive",
    "the password is incorrect",
    "password is required",
    "password: ********",
    "password=<redacted>",
    "password=$DB_PASSWORD",
    '{"password":{"type":"string","minLength":8}}',
    '{"password":null,"token":null}',
    '{"password":"required"}',
    "The secret: patience.",
    "token: 5",
    "max_tokens: 4096",
    "next_page_token=CAUQAAabcdefgh1234567890",
    "The bearer of this letter is my brother",
    "bearer responsibilities include filing",
    "task-oriented-dialogue-systems-are-useful-2024",
    "sk-learn is short",
    "https://example.com/path?x=1",
    "https://user@example.com:8080/path",
    "see https://docs.example.com: write to help@example.com",
    "mail jane@example.com at 10:30",
    "postgres://app:***@db.internal/bank",
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "my card is 4111 1111 1111 1111, cvv 123",
    "eyJ is how such a token begins",
    "order 0198c0de-0000-7000-8000-000000000001",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "the key is under the mat",
    "Passwort vergessen",
  ])("S1-36 leaves %j alone", (text) => {
    expect(findCredential(text)).toBeNull();
  });

  it("S1-36 refuses by the field's name and never repeats the text", () => {
    expect(() => refuseCredential("password=hunter22", "turns.0.text")).toThrow(
      expect.objectContaining({ kind: "credential_in_text", field: "turns.0.text" }),
    );
    expect(() => refuseCredential("password=hunter22", "turns.0.text")).not.toThrow(/hunter/);
    expect(() => refuseCredential("hello", "turns.0.text")).not.toThrow();
  });

  it("S1-36 finds the one credential at the end of hostile text, so none of it was skipped", () => {
    const parts = [
      "eyJ",
      "eyJa.",
      "bearer ",
      "sk-",
      "sk-a",
      "://a:",
      "://",
      "password",
      "password: ",
      "password=",
      "secret is ",
      "-----BEGIN ",
      "gh",
      "A",
      " ",
      "\\",
      "xox",
      "authorization: bearer ",
    ];
    for (const part of parts) {
      const text = part.repeat(Math.ceil(64_000 / part.length));
      expect(findCredential(`${text}\n AKIA${"A1B2C3D4E5F6G7H8"}`)).not.toBeNull();
    }
  });
});

describe("a model's reasoning", () => {
  it.each([
    ["<thinking>the customer is lying</thinking> Hello", true],
    ["<think>\nunfinished", true],
    ["Hello <reasoning>because</reasoning>", true],
    ['{"type":"reasoning","summary":[]}', true],
    ['{"role": "thinking", "text": "x"}', true],
    ["what does the <think> tag do?", false],
    ["I was thinking about the fee", false],
    ['{"type":"text","text":"reasoning"}', false],
  ])("S2-39 %j is reasoning: %s", (text, isReasoning) => {
    expect(isChainOfThought(text)).toBe(isReasoning);
    const refuse = () => refuseChainOfThought(text, "notes.0");
    if (isReasoning)
      expect(refuse).toThrow(expect.objectContaining({ kind: "invalid_input", field: "notes.0" }));
    else expect(refuse).not.toThrow();
  });
});
