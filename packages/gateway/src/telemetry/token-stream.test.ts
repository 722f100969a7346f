import { randomBytes } from "node:crypto";
import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { hideToken, maskedToken, maskOwnTokens } from "./mask-tokens.ts";
import { TokenStream } from "./token-stream.ts";

const token = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `ll_${Buffer.from(bytes).toString("base64url")}`)
  .filter((made) => /[A-Z]/.test(made));

/** Texts that resemble a token or surround one. */
const words = fc.constantFrom(
  "all",
  "call_id",
  " null_ptr ",
  "ll_",
  " ll_short",
  "l",
  "ll",
  "-",
  "_",
  "\\n",
  "\n",
  "\u001b[0;32m",
  "%3D",
  "é",
  "😀",
  "ll_all_of_these_are_lower_case_letters_and_so_this_is_no_token",
  "open-",
);

const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: words }, { arbitrary: token, weight: 1 }, fc.string()))
  .map((parts) => parts.join(""));

const cuts = fc.infiniteStream(fc.integer({ min: 0, max: 6 }));

function pieces(whole: string, lengths: Iterator<number>): string[] {
  const cut: string[] = [];
  for (let at = 0; at < whole.length;) {
    const length = Number(lengths.next().value);
    cut.push(whole.slice(at, at + length));
    at += length;
  }
  return cut;
}

const shownOf = (given: readonly string[]) => {
  const stream = new TokenStream();
  const shown = given.map((piece) => stream.push(piece));
  return [...shown, stream.release()];
};

describe("a text in chunks", () => {
  test.prop([text, cuts], { numRuns: 2_000 })(
    "is masked like the whole text, wherever it is split",
    (whole, lengths) => {
      const shown = shownOf(pieces(whole, lengths));
      // The writer masks tokens that are whole within a chunk.
      expect(maskOwnTokens(shown.map(maskOwnTokens).join(""))).toBe(maskOwnTokens(whole));
    },
  );

  test.prop([text, token, text, cuts])(
    "shows no part of a token",
    (before, made, after, lengths) => {
      const whole = `${before} ${made} ${after}`;
      const shown = shownOf(pieces(whole, lengths)).map(maskOwnTokens).join("");
      for (let at = 3; at + 8 <= made.length; at++)
        expect(shown).not.toContain(made.slice(at, at + 8));
    },
  );

  test.prop([fc.array(words), cuts])(
    "is never delayed without the prefix of a token",
    (parts, lengths) => {
      const stream = new TokenStream();
      let given = "";
      let shown = "";
      for (const piece of pieces(parts.join(" "), lengths)) {
        given += piece;
        shown += stream.push(piece);
        const delayed = given.slice(shown.length);
        if (delayed !== "") expect(given).toMatch(/(?:^|[^A-Za-z0-9]|\\n|m|%3D)ll_[\w-]+$/);
      }
    },
  );

  it("does not delay words that end like the start of a token", () => {
    const stream = new TokenStream();
    for (const piece of ["ca", "ll", "_id", " nu", "ll_", "ptr", " al", "l", " ", "ll", "_"])
      expect(stream.push(piece)).toBe(piece);
  });

  it("masks the rest of a token if its beginning had to be shown", () => {
    const made = `ll_${"aB3".repeat(15).slice(0, 43)}`;
    const stream = new TokenStream();
    const shown = [stream.push(`see ${made.slice(0, 9)}`), stream.release()];
    shown.push(stream.push(made.slice(9, 30)), stream.push(`${made.slice(30)}.`));
    expect(shown.join("")).toBe(`see ${made.slice(0, 9)}[masked].`);
  });

  test.prop([text, cuts])("masks the token from the environment too", (around, lengths) => {
    const secret = "open-sesame-open-the-door";
    using _hidden = hideToken(secret);
    const whole = `${around}${secret}${around}`;
    const shown = shownOf(pieces(whole, lengths)).map(maskOwnTokens).join("");
    // The first quarter of it may be shown.
    expect(shown.replaceAll("open-s", "")).toContain(maskedToken);
    expect(shown).not.toContain("sesame");
  });

  it("stores only the end of a long text", () => {
    const stream = new TokenStream();
    const long = `${randomBytes(100_000).toString("hex")} l`;
    expect(stream.push(long)).toBe(long);
    expect(stream.push("l_secret")).toBe("l_");
    expect(stream.release()).toBe("secret");
  });
});
