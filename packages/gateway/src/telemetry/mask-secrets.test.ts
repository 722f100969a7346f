import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { masked, maskSecrets, maskText } from "./mask-secrets.ts";

/** Concatenated, so that secret scanners do not report this file. */
const random = "Zx81kQ0vB7nM3pL5tR9w";
const jwt = `eyJ${random}.eyJ${random}.${random}`;

describe("objects", () => {
  it.each([
    [{ env: { PATH: "/bin", A: "" } }, { env: { PATH: masked, A: "" } }],
    [{ env: [{ name: "KEY", value: "x" }] }, { env: [{ name: "KEY", value: masked }] }],
    [
      { headers: [{ name: "Accept", value: "x" }] },
      { headers: [{ name: "Accept", value: masked }] },
    ],
    [{ headers: { cookie: ["a", "b"] } }, { headers: { cookie: [masked, masked] } }],
    [{ Authorization: "x" }, { Authorization: masked }],
    [{ token: "x" }, { token: masked }],
    [{ token: 5 }, { token: masked }],
    [{ token: null }, { token: null }],
    [
      { accessToken: "x", refresh_token: "y" },
      { accessToken: masked, refresh_token: masked },
    ],
    [{ apiKey: "x" }, { apiKey: masked }],
    [{ OPENAI_API_KEY: "x" }, { OPENAI_API_KEY: masked }],
    [{ "x-api-key": "x" }, { "x-api-key": masked }],
    [{ private_key: "x" }, { private_key: masked }],
    [
      { client_secret: "x", password: "y" },
      { client_secret: masked, password: masked },
    ],
    [
      { name: "X-Api-Key", value: "x" },
      { name: "X-Api-Key", value: masked },
    ],
    [
      { name: "api-key", value: "x" },
      { name: "api-key", value: masked },
    ],
    [
      { name: "a", value: "b", token: "x" },
      { name: "a", value: "b", token: masked },
    ],
    [
      { env: [{ name: "A", value: "x", more: "y" }] },
      { env: [{ name: "A", value: masked, more: masked }] },
    ],
    [{ credentials: { user: "a", pass: "b" } }, { credentials: { user: masked, pass: masked } }],
    [{ a: [{ b: { token: "x" } }] }, { a: [{ b: { token: masked } }] }],
    [{ args: ["--token", "x", "y"] }, { args: ["--token", masked, "y"] }],
    [{ args: ["--api-key=x", "-v"] }, { args: [`--api-key=${masked}`, "-v"] }],
    [{ message: `Bearer ${random}` }, { message: `Bearer ${masked}` }],
    [{ data: new Uint8Array(3) }, { data: "[3 bytes]" }],
    [{ url: new URL("https://u:p@example.com/") }, { url: `https://u:${masked}@example.com/` }],
  ])("%j becomes %j", (value, expected) => {
    expect(maskSecrets(value)).toEqual(expected);
  });

  it.each([
    { totalTokens: 5, inputTokens: 1, maxTokens: 100 },
    { key: "a", keys: ["b"], keyboard: "c", keyframes: 1, publicKey: "d" },
    { tokenId: "t-1", tokenCount: 5 },
    { tokenizer: "x", secretary: "y", env: "production", headers: null },
    { name: "file", value: "text" },
    { args: ["--tokens", "5", "-", "--", "a=b"] },
    { askId: "019a8c1e-0000-7000-8000-000000000000" },
    { at: new Date(0), odd: Number.NaN },
    { nothing: null, number: 1, flag: true, list: [], gone: undefined },
  ])("%j is the same object", (value) => {
    expect(maskSecrets(value)).toBe(value);
  });

  it("that the fast path skips are not changed by the full check", () => {
    const word = fc.constantFrom("name", "value", "api-key", "token", "env", "id", "x", "cookies");
    const fields = fc.dictionary(word, fc.oneof(word, fc.uuid(), fc.integer(), fc.boolean()));
    fc.assert(
      fc.property(fields, (object) => {
        const { more: _, ...looked } = maskSecrets({ ...object, more: [] }) as typeof object;
        expect(maskSecrets(object)).toEqual(looked);
      }),
    );
  });

  it("are not modified", () => {
    const value = Object.freeze({ env: Object.freeze({ A: "x" }), list: Object.freeze(["a"]) });
    const copy = maskSecrets(value) as typeof value;
    expect(copy).toEqual({ env: { A: masked }, list: ["a"] });
    expect(copy.list).toBe(value.list);
    expect(value.env.A).toBe("x");
  });

  it("with cycles or very deep nesting are cut off", () => {
    const circle: Record<string, unknown> = { token: "x" };
    circle["self"] = circle;
    expect(maskSecrets(circle)).toEqual({ token: masked, self: "[…]" });
    const bag: Record<string, unknown> = { a: "x" };
    const headers = { bag, self: bag };
    bag["again"] = headers;
    expect(maskSecrets({ headers })).toEqual({
      headers: { bag: { a: masked, again: "[…]" }, self: { a: masked, again: "[…]" } },
    });
    let deep: unknown = { token: "deep-secret" };
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(JSON.stringify(maskSecrets(deep))).not.toContain("deep-secret");
  });

  it("that are errors keep their message without its secrets", () => {
    const cause = Object.assign(new Error(`Bearer ${random}`), { code: "E", token: "x" });
    const shown = maskSecrets(new Error("outer", { cause })) as Record<string, unknown>;
    expect(shown).toMatchObject({
      name: "Error",
      message: "outer",
      stack: expect.stringContaining("mask-secrets.test.ts"),
      cause: { code: "E", message: `Bearer ${masked}`, token: masked },
    });
    expect(JSON.stringify(shown)).not.toContain(random);
  });

  it("show no values of env and headers at any depth", () => {
    const secret = fc.stringMatching(/^[A-Z]{12}$/);
    const bag = fc.constantFrom("env", "headers", "Headers", "environment", "cookies");
    const wrap = fc.array(fc.constantFrom("list", "mcpServers", "params"), { maxLength: 5 });
    fc.assert(
      fc.property(secret, bag, wrap, fc.boolean(), (value, name, path, asList) => {
        const inner = asList ? [{ name: "A", value }] : { A: value };
        const whole = path.reduce<unknown>(
          (within, each) => (each === "list" ? [within] : { [each]: within }),
          { [name]: inner },
        );
        expect(JSON.stringify(maskSecrets(whole))).not.toContain(value);
      }),
    );
  });
});

describe("texts", () => {
  it.each([
    [`sk-ant-api03-${random}`, `sk-${masked}`],
    [`key sk-proj-${random}!`, `key sk-${masked}!`],
    [`ghp_${random}`, `ghp_${masked}`],
    [`github_pat_${random}`, `github_pat_${masked}`],
    [`glpat-${random}`, `glpat-${masked}`],
    [`npm_${random}`, `npm_${masked}`],
    [`AIza${random}`, `AIza${masked}`],
    [`xoxb-${random}`, `xoxb-${masked}`],
    ["AKIAABCDEFGHIJKLMNOP", `AKIA${masked}`],
    [`jwt=${jwt};`, `jwt=${masked};`],
    [`Authorization: Bearer ${random}`, `Authorization: Bearer ${masked}`],
    ["authorization: Basic dXNlcjpwYXNz", `authorization: Basic ${masked}`],
    [`'Authorization': 'token ${random}'`, `'Authorization': 'token ${masked}'`],
    ["https://user:pass@example.com/x", `https://user:${masked}@example.com/x`],
    [`ws://h/ws?token=${random}&x=1`, `ws://h/ws?token=${masked}&x=1`],
    [`landline.v1, token.${random}`, `landline.v1, token.${masked}`],
    [`OPENAI_API_KEY=${random} npm test`, `OPENAI_API_KEY=${masked} npm test`],
    [`{"client_secret": "${random}"}`, `{"client_secret": "${masked}"}`],
    ["deploy --token hunter2 --dry-run", `deploy --token ${masked} --dry-run`],
    ["sh -c 'deploy --api-key hunter2'", `sh -c 'deploy --api-key ${masked}'`],
    ["deploy --db-password=p@ss!word -v", `deploy --db-password=${masked} -v`],
    [String.raw`deploy --password "a \"b\" c" -v`, `deploy --password ${masked} -v`],
    ["deploy --secret='$a b' -v", `deploy --secret=${masked} -v`],
    [
      `-----BEGIN RSA PRIVATE KEY-----\n${random}\n-----END RSA PRIVATE KEY-----\nx`,
      `-----BEGIN RSA PRIVATE KEY-----${masked}\nx`,
    ],
    [`-----BEGIN PRIVATE KEY-----\n${random}`, `-----BEGIN PRIVATE KEY-----${masked}`],
  ])("%j becomes %j", (text, expected) => {
    expect(maskText(text)).toBe(expected);
    expect(maskText(expected)).toBe(expected);
  });

  it.each([
    "function login(token: string, password: string): void",
    "basic understanding of bearer authentication",
    "the token counts: 5, tokens = 1234567890",
    "task-manager risk-assessment-of-everything",
    "https://example.com:8080/a@b?q=token",
    "-----BEGIN CERTIFICATE-----",
    "const key = keys[0]; // secret: none",
    "Pass --token or --api-key to log in; `--password` 2 is gone.",
    'deploy --token $TOKEN --secret=${SECRET} --password "$WORD" --api-key <key1>',
    "echo x1 | docker login --password-stdin registry1.example.com --token-limit 4096",
    'program.option("--token <token1>", "the token")',
    'exec("deploy --token " + token + " -v")',
    ":root { --access-token: 12px }",
    "",
  ])("%j stays", (text) => {
    expect(maskText(text)).toBe(text);
  });

  it("that the fast path skips are not changed by the full check", () => {
    const word = fc.stringMatching(/^[a-z0-9.-]{0,12}$/);
    const id = fc.oneof(fc.uuid(), fc.stringMatching(/^[0-9a-f-]{0,60}$/));
    const start = fc.constantFrom("sk-", "xoxb-", "xapp-", "hf", "token.", "ya29.", "glpat-", "");
    fc.assert(
      fc.property(fc.oneof(word, id), start, (text, opening) => {
        const passed = maskText(`${opening}${text}`.slice(0, 12));
        // The line feed disables the fast path.
        expect(maskText(`${passed}\n`)).toBe(`${passed}\n`);
        expect(maskText(`${text}\n`)).toBe(`${maskText(text)}\n`);
      }),
    );
  });

  it.each([
    "sk-".repeat(300_000),
    "eyJ-".repeat(250_000),
    `eyJ${"a".repeat(1_000_000)}`,
    "TOKEN".repeat(200_000),
    "token=".repeat(160_000),
    "://a:".repeat(200_000),
    "-----BEGIN PRIVATE KEY-----".repeat(40_000),
    "-----BEGIN ".repeat(90_000),
    "Bearer ".repeat(140_000),
    `Bearer ${"a".repeat(1_000_000)}`,
    "Authorization: ".repeat(70_000),
    " --token ".repeat(110_000),
    `--token ${"a".repeat(1_000_000)}`,
    ` --token="`.repeat(100_000),
    "-token".repeat(160_000),
    " ".repeat(1_000_000),
    "A".repeat(1_000_000),
  ])("a hostile megabyte is processed in linear time (%#)", (text) => {
    const started = performance.now();
    maskText(text);
    // A pattern with backtracking takes minutes. The limit is far above linear time and far below that.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
