import { expect, test } from "vitest";
import { quoted } from "./quoted-path.ts";

test.each([
  ["/plain name/it's (1) é 日本 👍", '"/plain name/it\'s (1) é 日本 👍"'],
  ["/l\u2019e\u0301te\u0301", '"/l\u2019e\u0301te\u0301"'],
  ['/x". Allow "y', '"/x\\". Allow \\"y"'],
  ["/x\u201d. Allow \u201cy", '"/x\\u{201d}. Allow \\u{201c}y"'],
  ["/a\\u{202e}", '"/a\\\\u{202e}"'],
  ["/\u202e\u2066\u200f", '"/\\u{202e}\\u{2066}\\u{200f}"'],
  ["/\r\n\t\u001b[2K\u0085\u2028", '"/\\u{d}\\u{a}\\u{9}\\u{1b}[2K\\u{85}\\u{2028}"'],
  ["/a\u00a0b\u3000c\u200bd\u3164e", '"/a\\u{a0}b\\u{3000}c\\u{200b}d\\u{3164}e"'],
  ["/\u0338x", '"/\\u{338}x"'],
  ["/\ud800x\ue000", '"/\\u{d800}x\\u{e000}"'],
])("%j is quoted so that it reads as one path", (path, shown) => {
  expect(quoted(path)).toBe(shown);
});
