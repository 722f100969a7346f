import { describe, expect, test } from "vitest";
import {
  maxAttachments,
  blockOf,
  excessOf,
  fenced,
  pastedFiles,
  readAttachment,
  rejectionReason,
  fileSizeText,
  type Attachment,
} from "./attachment.ts";

const png = new File([Uint8Array.of(1, 2, 3)], "a.png", { type: "image/png" });
const text = new File(["hello\n"], "a.txt", { type: "text/plain" });
const takesAll = { image: true, audio: true, embeddedContext: true };

describe("rejected files", () => {
  test("images and audio that the agent does not accept", () => {
    expect(rejectionReason(png, {})).toBe(
      "This agent does not accept images, so a.png was not attached.",
    );
    expect(rejectionReason(new File([], "a.wav", { type: "audio/wav" }), { image: true })).toMatch(
      /not accept audio/,
    );
  });

  test("rejects nothing before the agent has declared its capabilities", () => {
    expect(rejectionReason(png, null)).toBeNull();
    expect(rejectionReason(text, null)).toBeNull();
  });

  test("unsupported image types and videos; an SVG is text", () => {
    const file = (type: string) => ({ name: "x", type, size: 1 });
    expect(rejectionReason(file("image/heic"), takesAll)).toMatch(/PNG, JPEG, GIF or WebP/);
    expect(rejectionReason(file("video/mp4"), takesAll)).toMatch(/not a supported file type/);
    expect(rejectionReason(file("image/svg+xml"), takesAll)).toBeNull();
  });

  test("files larger than a message", () => {
    expect(
      rejectionReason({ name: "x.txt", type: "text/plain", size: 50_000_000 }, takesAll),
    ).toMatch(/^x\.txt has 50 MB; at most \d+ MB can be sent\.$/);
  });

  test("too many files, and too many bytes in total", async () => {
    const one = await readAttachment(text, "1");
    expect(excessOf(Array.from({ length: maxAttachments }, () => one))).toBeNull();
    expect(excessOf(Array.from({ length: maxAttachments + 1 }, () => one))).toMatch(/At most 50/);
    const large: Attachment = { ...one, data: "x".repeat(20_000_000) };
    expect(excessOf([large, large])).toBeNull();
    expect(excessOf([large, large, large, large])).toMatch(/Together/);
    const picture: Attachment = { ...one, data: "x".repeat((5 * 1_024 * 1_024 * 4) / 3) };
    expect(excessOf(Array.from({ length: 6 }, () => picture))).toBeNull();
  });

  test("files that are not text", async () => {
    const binary = new File([Uint8Array.of(0xff, 0xfe, 0)], "a.bin");
    await expect(readAttachment(binary, "1")).rejects.toThrow(
      /a\.bin is not an image, audio or text file/,
    );
    const withNul = new File(["a\0b"], "b.bin");
    await expect(readAttachment(withNul, "1")).rejects.toThrow(/b\.bin/);
  });
});

describe("content blocks", () => {
  test("an image is sent as base64", async () => {
    const attachment = await readAttachment(png, "1");
    expect(attachment).toMatchObject({ kind: "image", bytes: 3, name: "a.png" });
    expect(blockOf(attachment, takesAll)).toEqual({
      type: "image",
      data: "AQID",
      mimeType: "image/png",
    });
  });

  test("base64 of a large file is complete", async () => {
    const bytes = new Uint8Array(100_000).map((_, index) => index % 251);
    const { data } = await readAttachment(new File([bytes], "a.png", { type: "image/png" }), "1");
    expect(Uint8Array.from(atob(data), (letter) => letter.codePointAt(0) ?? 0)).toEqual(bytes);
  });

  test("text is embedded if the agent supports it, else inlined", async () => {
    const attachment = await readAttachment(text, "1");
    expect(blockOf(attachment, takesAll)).toEqual({
      type: "resource",
      resource: { uri: "attachment:a.txt", text: "hello\n", mimeType: "text/plain" },
    });
    expect(blockOf(attachment, {})).toEqual({ type: "text", text: "a.txt:\n\n```\nhello\n```" });
  });

  test("a fence is longer than those in the text", () => {
    expect(fenced("a.md", "````\nx\n````")).toBe("a.md:\n\n`````\n````\nx\n````\n`````");
  });
});

describe("pasted data", () => {
  const pasted = (plain: string) =>
    pastedFiles({ files: [png] as unknown as FileList, getData: () => plain });
  test("a file is attached, even when its name comes as text", () => {
    expect(pasted("")).toEqual([png]);
    expect(pasted("/home/me/a.png")).toEqual([png]);
  });
  test("spreadsheet cells that come with an image of themselves are text", () => {
    expect(pasted("1\t2\n3\t4")).toEqual([]);
  });
});

test.each([
  [12, "12 bytes"],
  [12_300, "12 kB"],
  [1_234_000, "1.2 MB"],
  [12_340_000, "12 MB"],
])("%i is %s", (bytes, words) => {
  expect(fileSizeText(bytes)).toBe(words);
});
