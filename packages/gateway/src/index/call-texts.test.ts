import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CallTexts, mergedTexts, noTexts, readCallTexts, shareOut } from "./call-texts.ts";

describe("the indexed texts of a call", () => {
  it.each<readonly [string, object, Partial<CallTexts>]>([
    ["nothing", {}, {}],
    [
      "every field of the input",
      {
        title: "Look",
        kind: "execute",
        name: "bash",
        locations: [{ path: "/a" }, null],
        content: [{ type: "diff", path: "/b" }, { path: "/c" }],
        rawInput: {
          file_path: "/d",
          command: ["cat", "it's"],
          cwd: "/e",
          url: "http://x",
          code: "rm f",
        },
      },
      {
        titles: ["Look"],
        kinds: ["execute"],
        toolNames: ["bash"],
        commands: [`cat "it's"`],
        paths: ["/a", "/b", "/c", "/d", "/e"],
        urls: ["http://x"],
        others: ["rm f"],
        unknown: ["the meaning of “code” is unknown"],
      },
    ],
    [
      "a possible command, or the action of an editing tool",
      { rawInput: { command: "create", path: "a" } },
      { paths: ["a"], others: ["create"] },
    ],
    ["an invalid URL", { rawInput: { url: 5 } }, { unknown: ["it names an invalid URL"] }],
    [
      "a text that is too long",
      { rawInput: { path: "p".repeat(5_000) } },
      { paths: ["p".repeat(4_096)], isCut: true },
    ],
  ])("is %s", (_what, toolCall, texts) => {
    expect(readCallTexts(toolCall)).toEqual({ ...noTexts, ...texts });
  });

  it("grow by new texts, and are the same object otherwise", () => {
    const first = readCallTexts({ rawInput: { command: "ls", script: "a" } });
    expect(mergedTexts(first, readCallTexts({ rawInput: { command: "ls" } }))).toBe(first);
    const second = mergedTexts(first, readCallTexts({ rawInput: { script: "b", path: "/x" } }));
    expect(second).toMatchObject({ commands: ["ls"], others: ["a", "b"], paths: ["/x"] });
  });

  it("keep the first and the last of too many, and do not change when they are repeated", () => {
    const script = Array.from({ length: 500 }, (_, index) => `step ${index}`);
    const texts = readCallTexts({ rawInput: { script } });
    expect(texts.others).toHaveLength(100);
    expect(texts.others).toEqual(expect.arrayContaining(["step 0", "step 499"]));
    expect(texts.isCut).toBe(true);
    expect(mergedTexts(texts, readCallTexts({ rawInput: { script } }))).toBe(texts);
  });

  it("are shared fairly, so that no text hides another", () => {
    const texts = readCallTexts({
      rawInput: {
        command: "x".repeat(16_000),
        files: ["/etc/passwd", ...Array.from({ length: 80 }, (_, at) => `${at}`.repeat(500))],
        url: "http://evil.example",
      },
    });
    expect(shareOut(texts, 1_000_000)).toEqual(texts);
    const shared = shareOut(texts, 10_000);
    expect(shared).toMatchObject({ urls: ["http://evil.example"], isCut: true });
    expect(shared.paths).toHaveLength(81);
    expect(shared.paths[0]).toBe("/etc/passwd");
    expect(shared.commands[0]?.length).toBeGreaterThan(4_000);
  });

  it("are bounded for any call", () => {
    const toolCall = fc.record(
      {
        title: fc.anything(),
        kind: fc.anything(),
        content: fc.anything(),
        rawInput: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(toolCall, fc.nat({ max: 200 }), (call, length) => {
        const texts = readCallTexts(call);
        const shared = shareOut(texts, length);
        const { isCut, ...lists } = shared;
        expect(Object.values(lists).flat().join("").length).toBeLessThanOrEqual(length);
        expect(isCut || Object.is(JSON.stringify(shared), JSON.stringify(texts))).toBe(true);
      }),
    );
  });
});
