import { fc, test } from "@fast-check/vitest";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { noPrograms, openToolFixture } from "../../test/tools/tool-fixture.ts";
import { FakeClient } from "../../test/workspace/fake-client.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { lineChanges } from "./file-diff.ts";
import { applyHunks } from "./patch-hunks.ts";
import { parsePatch } from "./patch-text.ts";
import { ToolFailure } from "./tool.ts";

const tool = createApplyPatchTool(noPrograms);

function patch(...lines: string[]): { patchText: string } {
  return { patchText: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") };
}

function patched(text: string, ...lines: string[]): string {
  const [step] = parsePatch(patch("*** Update File: f", ...lines).patchText);
  if (step?.kind !== "update") throw new Error("no update");
  return applyHunks(text, step.hunks, "f").text;
}

function failure(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ToolFailure) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return "no failure";
}

describe("apply_patch", () => {
  test("adds, updates, moves and deletes at once", async () => {
    await using fixture = await openToolFixture();
    const { project } = fixture.scratch;
    await fixture.scratch.write({
      "a.ts": "one\ntwo\nthree\n",
      "old/b.ts": "b1\nb2\n",
      "c.ts": "gone\n",
    });
    await fixture.read("a.ts", "old/b.ts", "c.ts");
    const result = await fixture.run(
      tool,
      patch(
        "*** Update File: a.ts",
        "@@",
        " one",
        "-two",
        "+2",
        " three",
        "*** Update File: old/b.ts",
        "*** Move to: new/b.ts",
        "@@",
        "-b2",
        "+B2",
        "*** Add File: d.ts",
        "+d1",
        "+",
        "+d3",
        "*** Delete File: c.ts",
      ),
    );
    expect(await fixture.scratch.read("a.ts")).toBe("one\n2\nthree\n");
    expect(await fixture.scratch.read("new/b.ts")).toBe("b1\nB2\n");
    expect(await fixture.scratch.read("d.ts")).toBe("d1\n\nd3\n");
    for (const gone of ["old/b.ts", "c.ts"]) {
      expect(await fixture.workspace.stat(join(project, gone))).toBeNull();
    }
    expect(fixture.asked).toHaveLength(1);
    expect(fixture.asked[0]).toMatchObject({
      permission: "edit",
      patterns: ["a.ts", "old/b.ts", "new/b.ts", "d.ts", "c.ts"],
      view: {
        content: [
          { path: join(project, "a.ts"), newText: "one\n2\nthree\n" },
          { path: join(project, "new/b.ts"), oldText: "b1\nb2\n", newText: "b1\nB2\n" },
          { path: join(project, "d.ts"), oldText: null },
          { path: join(project, "c.ts"), oldText: "gone\n", newText: "" },
        ],
      },
    });
    expect(fixture.kept.map((record) => ("path" in record ? record : null))).toMatchObject([
      { path: join(project, "a.ts"), after: "one\n2\nthree\n" },
      { path: join(project, "new/b.ts"), before: null, after: "b1\nB2\n" },
      { path: join(project, "old/b.ts"), before: "b1\nb2\n", after: null },
      { path: join(project, "d.ts"), before: null },
      { path: join(project, "c.ts"), before: "gone\n", after: null },
    ]);
    expect(result.output).toContain("Moved old/b.ts to new/b.ts");
    expect(result.output).toContain("Deleted c.ts");
  });

  test("changes nothing if a part of it does not match", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.ts": "one\n", "b.ts": "b\n" });
    await fixture.read("a.ts", "b.ts");
    const parts = [
      ["match-not-found", ["*** Update File: b.ts", "-not there", "+x"]],
      ["file-not-found", ["*** Update File: none.ts", "-b", "+x"]],
      ["file-not-found", ["*** Delete File: none.ts"]],
      ["file-exists", ["*** Add File: b.ts", "+x"]],
      ["file-exists", ["*** Update File: b.ts", "*** Move to: a.ts", "-b", "+x"]],
      ["invalid-input", ["*** Update File: b.ts"]],
    ] as const;
    for (const [reason, lines] of parts) {
      const both = patch("*** Update File: a.ts", "-one", "+two", ...lines);
      expect(await fixture.failure(tool, both)).toMatchObject({ reason });
    }
    expect(await fixture.scratch.read("a.ts")).toBe("one\n");
    expect(fixture.asked).toEqual([]);
  });

  test("reverts what it wrote when a write fails", async () => {
    const client = new FakeClient({ fs: { readTextFile: true, writeTextFile: true } });
    await using fixture = await openToolFixture({ client: () => client });
    const { project } = fixture.scratch;
    await fixture.scratch.write({ "a.ts": "a\n", "b.ts": "b\n" });
    client.onRead = (path) => fixture.scratch.read(path.slice(project.length + 1));
    client.onWrite = async (path, content) => {
      if (path.endsWith("b.ts")) throw new Error("EACCES: permission denied");
      await writeFile(path, content);
    };
    await fixture.read("a.ts", "b.ts");
    const both = patch("*** Update File: a.ts", "-a", "+A", "*** Update File: b.ts", "-b", "+B");
    expect(await fixture.failure(tool, both)).toMatchObject({ reason: "permission-denied" });
    expect(await fixture.scratch.read("a.ts")).toBe("a\n");
    expect(fixture.kept).toEqual([]);
  });

  test("recognises one file by all its names", async () => {
    await using fixture = await openToolFixture();
    await fixture.scratch.write({ "a.ts": "one\ntwo\n" });
    await fixture.read("a.ts");
    await fixture.run(
      tool,
      patch("*** Update File: a.ts", "-one", "+1", "*** Update File: ./a.ts", "-two", "+2"),
    );
    expect(await fixture.scratch.read("a.ts")).toBe("1\n2\n");
    expect(fixture.kept).toHaveLength(1);
  });

  test("shows its files before it runs, for any patch text", async () => {
    await using fixture = await openToolFixture();
    const { patchText } = patch("*** Update File: a.ts", "*** Add File: b.ts");
    expect(tool.view({ patchText }, fixture.workspace)).toMatchObject({
      title: "Patch a.ts, b.ts",
      locations: [{ path: join(fixture.scratch.project, "a.ts") }, {}],
    });
    expect(tool.view({}, fixture.workspace).title).toBe("Patch files");
  });
});

describe("a patch's text", () => {
  test("may be embedded in other text", () => {
    const text =
      "```\napply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n";
    expect(parsePatch(text)).toEqual([{ kind: "delete", path: "a" }]);
  });

  test("is refused with the number of the invalid line", () => {
    const wrong: [string, string[]][] = [
      ['line 1: a patch begins with "*** Begin Patch"', []],
      ["line 2: the patch has no", ["*** Begin Patch", "*** Delete File: a"]],
      ["line 2: here should be", ["*** Begin Patch", "hello", "*** End Patch"]],
      ["names no file", ["*** Begin Patch", "*** End Patch"]],
      ["line 3: each line of a file", ["*** Begin Patch", "*** Add File: a", "x", "*** End Patch"]],
      [
        "line 4: each line of a change",
        ["*** Begin Patch", "*** Update File: a", "+b", "x", "*** End Patch"],
      ],
      ["has no line", ["*** Begin Patch", "*** Update File: a", "@@", " b", "*** End Patch"]],
    ];
    for (const [words, lines] of wrong) {
      const found = failure(() => parsePatch(lines.join("\n")));
      expect(found).toMatch(/^invalid-input: /u);
      expect(found).toContain(words);
    }
  });
});

describe("hunks", () => {
  test("are applied from top to bottom", () => {
    const text = "a\nx\nb\nx\nc\n";
    expect(patched(text, "@@ b", "-x", "+y", "@@", "-c", "+d")).toBe("a\nx\nb\ny\nd\n");
    expect(failure(() => patched(text, "@@", "-c", "+d", "@@", "-a", "+b"))).toContain(
      "looking from line 6 on",
    );
  });

  test("are located by the lines after @@", () => {
    const text = "class A {\n  run() {\n    x();\n  }\n}\nclass B {\n  run() {\n    x();\n  }\n}\n";
    expect(patched(text, "@@ class B", "@@ run() {", "-    x();", "+    y();")).toBe(
      text.replace(/x\(\)(?![^]*x\(\))/u, "y()"),
    );
    expect(patched(text, "@@ class B {", " class B {", "+  // new")).toContain(
      "class B {\n  // new",
    );
    expect(patched(text, "@@ -6,2 +6,3 @@ class B {", "+  // new")).toContain(
      "class B {\n  // new",
    );
    expect(failure(() => patched(text, "@@ class C", "-x", "+y"))).toContain('"class C" after @@');
  });

  test("add lines at the end if nothing else is given", () => {
    expect(patched("a\n", "+b")).toBe("a\nb\n");
    expect(patched("a", "+b")).toBe("a\nb");
    expect(patched("", "+b")).toBe("b\n");
  });

  test("at the end of the file are matched there", () => {
    const text = "x\ny\nx\ny\n";
    expect(patched(text, "@@", " x", "-y", "+z", "*** End of File")).toBe("x\ny\nx\nz\n");
    expect(failure(() => patched(text, "@@", "-x", "+z", "*** End of File"))).toContain(
      "at its end",
    );
  });

  test("keep line endings and unchanged lines", () => {
    expect(patched("a \r\nb\r\nc\nd", " a", "-b", "+B", "+B2")).toBe("a \r\nB\r\nB2\r\nc\nd");
    expect(
      patched("\tif (a) {\n\t\tb();\n\t}\n", " if (a) {", "-    b();", "+    c();", " }"),
    ).toBe("\tif (a) {\n\t\tc();\n\t}\n");
    expect(patched("say “hi”\nx\n", ` say "hi"`, "-x", "+y")).toBe("say “hi”\ny\n");
  });

  const line = fc.string({
    unit: fc.constantFrom("a", "b", " ", "-", "+", "@", "*"),
    maxLength: 6,
  });
  const text = fc
    .array(line, { maxLength: 20 })
    .map((lines) => lines.map((each) => `${each}\n`).join(""));

  test.prop([text, text])(
    "made from a diff of two texts turn one into the other",
    async (before, after) => {
      fc.pre(before !== after && before !== "");
      const changes = await lineChanges(before, after);
      const lines = changes.flatMap((change) => ["@@", ...change.lines]);
      // With repeated lines, a patch without line numbers may match an earlier position: then it is another patch.
      const result = patchedOrNull(before, lines);
      fc.pre(result !== null && changes.length === 1 && isUnique(before, changes[0]?.lines ?? []));
      expect(result).toBe(after);
    },
  );

  function patchedOrNull(before: string, lines: string[]): string | null {
    try {
      return patched(before, ...lines);
    } catch (error) {
      if (error instanceof ToolFailure) return null;
      throw error;
    }
  }

  function isUnique(before: string, lines: readonly string[]): boolean {
    const old = lines.filter((each) => !each.startsWith("+")).map((each) => `${each.slice(1)}\n`);
    const wanted = old.join("");
    const first = `\n${before}`.indexOf(`\n${wanted}`);
    return wanted !== "" && `\n${before}`.indexOf(`\n${wanted}`, first + 1) === -1;
  }
});
