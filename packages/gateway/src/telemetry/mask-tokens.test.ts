import { randomBytes } from "node:crypto";
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { maskText } from "./mask-secrets.ts";
import { hideToken, maskOwnTokens, tokenBeginning } from "./mask-tokens.ts";

const made = () => `ll_${randomBytes(32).toString("base64url")}`;

describe("a token of the gateway", () => {
  it.each([
    (token: string) => token,
    (token: string) => `http://127.0.0.1:3001/#token=${token}`,
    (token: string) => `{"token":"${token}","pid":1}`,
    (token: string) => `a\n${token}\nb`,
    (token: string) => `\u001b[32m${token}\u001b[0m`,
    (token: string) => `q=%3D${token}`,
    (token: string) => `token.${token}, landline.v1`,
  ])("is masked in text and in JSON", (around) => {
    for (let count = 0; count < 50; count++) {
      const token = made();
      const text = around(token);
      expect(maskOwnTokens(text)).not.toContain(token.slice(0, 20));
      expect(maskText(text)).not.toContain(token.slice(0, 20));
      const line = JSON.stringify({ text });
      const masked = maskOwnTokens(line);
      expect(masked).not.toContain(token.slice(0, 20));
      expect(() => JSON.parse(masked) as unknown).not.toThrow();
    }
  });

  it("is masked, but similar names are not", () => {
    for (const text of [
      "will_be_called_when_the_session_is_closed_by_a_person_or_a_program",
      "ll_",
      "null_ptr ll_short",
      "eHh4bGxfQWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh",
    ])
      expect(maskOwnTokens(text)).toBe(text);
  });

  it("from the environment is matched by its text until it is disposed", () => {
    const text = 'say "open-sesame\\"" now';
    {
      using _hidden = hideToken('open-sesame\\"');
      expect(maskOwnTokens(text)).toBe('say "ll_[masked]" now');
      const line = maskOwnTokens(JSON.stringify({ text }));
      expect(line).not.toContain("open-sesame");
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    }
    expect(maskOwnTokens(text)).toBe(text);
  });

  test.prop([fc.integer({ min: 1, max: 45 }), fc.string()])(
    "that is cut anywhere is recognized by its beginning",
    (at, before) => {
      const token = made();
      expect(tokenBeginning(`${before} ${token.slice(0, at)}`)).toBeGreaterThanOrEqual(at);
    },
  );
});
