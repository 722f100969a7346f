import * as fc from "fast-check";
import { expect, test } from "vitest";
import { attachment } from "./file-name.ts";

const id = "01a1e38d-af53-792f-888e-dab45a5c3f03";

test.each<[string | null, string, string | null]>([
  ["Fix the login", "fix-the-login-5a5c3f03.md", null],
  ["../../etc/passwd", "etc-passwd-5a5c3f03.md", null],
  ["C:\\Windows\\con", "c-windows-con-5a5c3f03.md", null],
  ["con", "con-5a5c3f03.md", null],
  [".hidden", "hidden-5a5c3f03.md", null],
  ['a"b\r\nc\0d', "a-b-c-d-5a5c3f03.md", null],
  ["Café", "cafe-5a5c3f03.md", "café-5a5c3f03.md"],
  ["登录修复", "conversation-5a5c3f03.md", "登录修复-5a5c3f03.md"],
  ["", "conversation-5a5c3f03.md", null],
  ["…!?", "conversation-5a5c3f03.md", null],
  [null, "conversation-5a5c3f03.md", null],
])("%j is saved as %s", (title, plain, full) => {
  const more = full === null ? "" : `; filename*=UTF-8''${encodeURIComponent(full)}`;
  expect(attachment(title, id, "md")).toBe(`attachment; filename="${plain}"${more}`);
});

test("every title becomes a valid file name and header", () => {
  const text = fc
    .tuple(fc.string({ unit: "binary", maxLength: 40 }), fc.integer({ min: 1, max: 9 }))
    .map(([words, times]) => words.repeat(times));
  fc.assert(
    fc.property(text, (title) => {
      const header = attachment(title, id, "md");
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      const [, plain = "", encoded] =
        /^attachment; filename="([a-z0-9-]+)\.md"(?:; filename\*=UTF-8''([\w%~.-]+)\.md)?$/.exec(
          header,
        ) ?? [];
      for (const name of [plain, decodeURIComponent(encoded ?? plain)]) {
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}-]*-5a5c3f03$/u);
        expect(name.length).toBeLessThanOrEqual(60);
        expect(Buffer.byteLength(`${name}.html`)).toBeLessThanOrEqual(255);
      }
    }),
  );
});
