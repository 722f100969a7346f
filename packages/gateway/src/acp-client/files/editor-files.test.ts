import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LandlineError } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openScratch, refusedWith, type Scratch } from "../../../test/acp-client/scratch.ts";
import { Files } from "../files.ts";
import type { EditorFiles, EditorRead, EditorWrite } from "./editor-files.ts";

let scratch: Scratch;
let path: string;

beforeEach(async () => {
  scratch = await openScratch();
  path = join(scratch.project, "a.txt");
  await writeFile(path, "on the disk");
});

afterEach(async () => {
  await scratch[Symbol.asyncDispose]();
});

const never = Symbol("never");

type Answer = string | null | boolean | Error | typeof never;

/** An editor that answers by a script, one answer for each time that it is asked. */
class ScriptedEditor implements EditorFiles {
  readonly asked: (EditorRead | EditorWrite)[] = [];
  readonly aborted: boolean[] = [];
  readonly #answers: Answer[];

  constructor(...answers: Answer[]) {
    this.#answers = answers;
  }

  async read(request: EditorRead, signal: AbortSignal): Promise<string | null> {
    return (await this.#answer(request, signal)) as string | null;
  }

  async write(request: EditorWrite, signal: AbortSignal): Promise<boolean> {
    return (await this.#answer(request, signal)) as boolean;
  }

  async #answer(request: EditorRead | EditorWrite, signal: AbortSignal): Promise<Answer> {
    this.asked.push(request);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new Error("The editor was asked too often.");
    if (answer instanceof Error) throw answer;
    if (answer !== never) return answer;
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => {
      this.aborted.push(true);
    });
    return aborted.promise;
  }
}

/** Editors that answer have time to, however busy the machine is. */
const filesWith = (route: EditorFiles, limits = {}, missingFileIsEmpty = false) =>
  new Files(scratch.context({ limits: { fileReadMs: 20_000, fileWriteMs: 20_000, ...limits } }), {
    missingFileIsEmpty,
    temporaries: scratch.temporaries,
    route,
  });

const soon = { fileReadMs: 500, fileWriteMs: 500 };

const lost = () => new LandlineError("connection-lost");

describe("reading where an editor is attached", () => {
  it("gives what is in its buffer", async () => {
    const editor = new ScriptedEditor("not saved yet");
    const files = filesWith(editor);
    expect(await files.read({ path, line: 2, limit: 3 })).toEqual({
      content: "not saved yet",
    });
    expect(editor.asked).toEqual([{ path, line: 2, limit: 3 }]);
    expect(scratch.events).toEqual([
      { kind: "file-read", path, bytes: 13, via: "editor", line: 2, limit: 3 },
    ]);
  });

  it("gives a file that is only there", async () => {
    const files = filesWith(new ScriptedEditor("new and not saved"));
    expect(await files.read({ path: join(scratch.project, "new.txt") })).toEqual({
      content: "new and not saved",
    });
  });

  it("goes to the disk when no editor takes it", async () => {
    const editor = new ScriptedEditor(null, null);
    const files = filesWith(editor);
    expect(await files.read({ path })).toEqual({ content: "on the disk" });
    expect(await refusedWith(files.read({ path: `${path}.missing` }))).toBe("file-not-found");
    expect(editor.asked).toHaveLength(2);
    expect(scratch.events).toEqual([{ kind: "file-read", path, bytes: 11, via: "disk" }]);
  });

  it("asks once more when the editor is lost, and then the disk", async () => {
    expect(await filesWith(new ScriptedEditor(lost(), "second time")).read({ path })).toEqual({
      content: "second time",
    });
    const gone = new ScriptedEditor(lost(), new Error("socket hang up"));
    expect(await filesWith(gone).read({ path })).toEqual({ content: "on the disk" });
    expect(gone.asked).toHaveLength(2);
  });

  it("gives up on an editor that never answers, after asking twice", async () => {
    const editor = new ScriptedEditor(never, never);
    expect(await refusedWith(filesWith(editor, soon).read({ path }))).toBe("timeout");
    expect(editor.aborted).toEqual([true, true]);
    const slow = new ScriptedEditor(never, "second time");
    expect(await filesWith(slow, soon).read({ path })).toEqual({ content: "second time" });
  });

  it("takes the editor's no for an answer", async () => {
    for (const code of ["permission-denied", "file-not-found"] as const) {
      const editor = new ScriptedEditor(new LandlineError(code));
      expect(await refusedWith(filesWith(editor).read({ path }))).toBe(code);
    }
    const missing = new ScriptedEditor(new LandlineError("file-not-found"));
    expect(await filesWith(missing, {}, true).read({ path })).toEqual({ content: "" });
    expect(scratch.events).toEqual([]);
  });

  it("bounds what comes from there, and asks for nothing outside", async () => {
    const editor = new ScriptedEditor("€€€€");
    expect(await refusedWith(filesWith(editor, { fileBytes: 10 }).read({ path }))).toBe(
      "file-too-large",
    );
    expect(await refusedWith(filesWith(editor).read({ path: "/etc/passwd" }))).toBe(
      "permission-denied",
    );
    expect(editor.asked).toHaveLength(1);
  });
});

describe("writing where an editor is attached", () => {
  const written = () => readFile(path, "utf8");

  it("goes there, and not to the disk", async () => {
    const editor = new ScriptedEditor(true);
    await filesWith(editor).write({ path, content: "né" });
    expect(editor.asked).toEqual([{ path, content: "né" }]);
    expect(await written()).toBe("on the disk");
    expect(scratch.events).toEqual([{ kind: "file-written", path, bytes: 3, via: "editor" }]);
  });

  it("goes to the disk when no editor takes it", async () => {
    await filesWith(new ScriptedEditor(false)).write({ path, content: "new" });
    expect(await written()).toBe("new");
    expect(scratch.events).toEqual([{ kind: "file-written", path, bytes: 3, via: "disk" }]);
  });

  it("is tried once more, and never made on the disk when its fate is not known", async () => {
    await filesWith(new ScriptedEditor(lost(), true)).write({ path, content: "new" });
    const cases: [Answer, Answer, string][] = [
      [lost(), lost(), "connection-lost"],
      [new Error("broken"), new Error("broken"), "connection-lost"],
      [never, lost(), "connection-lost"],
      [never, never, "timeout"],
      [lost(), new LandlineError("permission-denied"), "permission-denied"],
    ];
    for (const [first, second, code] of cases) {
      const editor = new ScriptedEditor(first, second);
      const files = filesWith(editor, first === never ? soon : {});
      expect(await refusedWith(files.write({ path, content: "new" }))).toBe(code);
    }
    expect(await written()).toBe("on the disk");
    expect(scratch.events).toHaveLength(1);
  });

  it("is not made on the disk either when the second try finds no editor", async () => {
    const editor = new ScriptedEditor(lost(), false);
    expect(await refusedWith(filesWith(editor).write({ path, content: "new" }))).toBe(
      "connection-lost",
    );
    expect(await written()).toBe("on the disk");
  });

  it("keeps its order, and what failed holds up nothing", async () => {
    const editor = new ScriptedEditor(never, never, true, true);
    const files = filesWith(editor, soon);
    const outcomes = await Promise.all(
      ["1", "2", "3"].map((content) => refusedWith(files.write({ path, content }))),
    );
    expect(outcomes).toEqual(["timeout", "taken", "taken"]);
    expect(editor.asked.map((asked) => "content" in asked && asked.content)).toEqual([
      "1",
      "1",
      "2",
      "3",
    ]);
    expect(await readdir(scratch.project)).toEqual(["a.txt"]);
  });
});
