import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LandlineError } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openScratch, refusedWith, type Scratch } from "../../../test/acp-client/scratch.ts";
import { type Editor, Editors } from "../editors.ts";
import { Files, type FilesOptions } from "../files.ts";

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

type Answer = object | Error | typeof never;

/** An editor that answers by a script, one answer for each request. */
class ScriptedEditor implements Editor {
  readonly readsFiles: boolean = true;
  readonly writesFiles: boolean = true;
  readonly opensTerminals = false;
  readonly name: string;
  readonly requests: { readonly method: string; readonly params: object }[] = [];
  cancelled = 0;
  readonly asked = Promise.withResolvers<void>();
  readonly #answers: (Answer | (() => Promise<Answer>))[];

  constructor(name: string, ...answers: (Answer | (() => Promise<Answer>))[]) {
    this.name = name;
    this.#answers = answers;
  }

  noteTerminal(): void {}

  notify(): void {}

  async request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    this.requests.push({ method, params });
    this.asked.resolve();
    signal?.addEventListener("abort", () => (this.cancelled += 1));
    const next = this.#answers.shift();
    if (next === undefined) throw new Error("The editor was asked too often.");
    const answer = typeof next === "function" ? await next() : next;
    if (answer instanceof Error) throw answer;
    return answer === never ? new Promise(() => {}) : answer;
  }
}

const attached = (...editors: Editor[]) => {
  const all = new Editors();
  for (const editor of editors.toReversed()) all.attach("session", editor);
  return all.of("session");
};

/** Editors that answer have time to, however busy the machine is. */
const filesWith = (editors: Editor[], limits = {}, options: Partial<FilesOptions> = {}) =>
  new Files(scratch.context({ limits: { fileReadMs: 20_000, fileWriteMs: 20_000, ...limits } }), {
    missingFileIsEmpty: false,
    temporaries: scratch.temporaries,
    editors: attached(...editors),
    ...options,
  });

/** Lets the time limit pass when the editor was asked. */
async function expire<Result>(
  editor: ScriptedEditor,
  work: () => Promise<Result>,
): Promise<Result> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const result = work();
    await editor.asked.promise;
    vi.advanceTimersByTime(20_000);
    return await result;
  } finally {
    vi.useRealTimers();
  }
}

const lost = () => new LandlineError("connection-lost");
const refused = (message = "No.") =>
  new LandlineError("file-not-found", { message, data: { agentCode: -32002 } });
const onDisk = () => readFile(path, "utf8");

describe("reading where an editor is attached", () => {
  it("returns the text of its buffer, and records its name", async () => {
    const editor = new ScriptedEditor("Zed", { content: "not saved yet" });
    const read = await filesWith([editor]).read({ path, line: 2, limit: 3 });
    expect(read).toEqual({ content: "not saved yet" });
    const params = { sessionId: "session", path, line: 2, limit: 3 };
    expect(editor.requests).toEqual([{ method: "fs/read_text_file", params }]);
    expect(scratch.events).toEqual([
      { kind: "file-read", path, bytes: 13, via: "editor", editor: "Zed", line: 2, limit: 3 },
    ]);
  });

  it("returns a file that is only there", async () => {
    const editor = new ScriptedEditor("Zed", { content: "new" });
    const missing = join(scratch.project, "new", "a.txt");
    expect(await filesWith([editor]).read({ path: missing })).toEqual({ content: "new" });
    expect(editor.requests).toMatchObject([{ params: { path: missing } }]);
  });

  it("names a file as the agent does, even by a link to its folder", async () => {
    await mkdir(join(scratch.project, "real"));
    await symlink(join(scratch.project, "real"), join(scratch.project, "link"));
    const byLink = join(scratch.project, "link", "b.txt");
    const editor = new ScriptedEditor("Zed", { content: "1" }, { content: "2" });
    const files = filesWith([editor]);
    await files.read({ path: byLink });
    await files.read({ path: `${scratch.project}/link/../a.txt` });
    expect(editor.requests).toMatchObject([{ params: { path: byLink } }, { params: { path } }]);
  });

  it.each([
    ["refuses", refused()],
    ["is lost", lost()],
  ])("reads from the disk if the editor %s", async (_, answer) => {
    const files = filesWith([new ScriptedEditor("Zed", answer, answer)]);
    expect(await files.read({ path })).toEqual({ content: "on the disk" });
    expect(await refusedWith(files.read({ path: `${path}.missing` }))).toBe("file-not-found");
    expect(scratch.events).toEqual([{ kind: "file-read", path, bytes: 11, via: "disk" }]);
  });

  it("asks an editor that does not answer once, cancels the request, and reads from the disk", async () => {
    const editor = new ScriptedEditor("Zed", never);
    const files = filesWith([editor]);
    const read = await expire(editor, () => files.read({ path }));
    expect(read).toEqual({ content: "on the disk" });
    expect(editor.cancelled).toBe(1);
    expect(await files.read({ path })).toEqual({ content: "on the disk" });
    expect(editor.requests).toHaveLength(1);
  });

  it("asks the next editor if one cannot read or refuses", async () => {
    const first = new ScriptedEditor("Zed", refused());
    const blind: Editor = Object.assign(new ScriptedEditor("Blind"), { readsFiles: false });
    const second = new ScriptedEditor("Emacs", { content: "buffer" });
    const read = await filesWith([first, blind, second]).read({ path });
    expect(read).toEqual({ content: "buffer" });
    expect(scratch.events).toMatchObject([{ via: "editor", editor: "Emacs" }]);
  });

  it("limits the size of the answer, and asks for nothing outside", async () => {
    const editor = new ScriptedEditor("Zed", { content: "€€€€" });
    const files = filesWith([editor], { fileBytes: 10 });
    expect(await refusedWith(files.read({ path }))).toBe("file-too-large");
    expect(await refusedWith(files.read({ path: "/etc/passwd" }))).toBe("permission-denied");
    expect(editor.requests).toHaveLength(1);
  });

  it("drops the answer if the path leads elsewhere meanwhile", async () => {
    const folder = join(scratch.project, "folder");
    await mkdir(folder);
    await writeFile(join(folder, "a.txt"), "inside");
    await writeFile(join(scratch.outside, "a.txt"), "outside");
    const editor = new ScriptedEditor("Zed", async () => {
      await rename(folder, `${folder}.old`);
      await symlink(scratch.outside, folder);
      return { content: "outside" };
    });
    const read = filesWith([editor]).read({ path: join(folder, "a.txt") });
    expect(await refusedWith(read)).toBe("permission-denied");
    expect(scratch.events).toEqual([]);
  });

  it("does not ask about guarded files that no permission names", async () => {
    const editor = new ScriptedEditor("Zed", { content: "secret" });
    const allowed = new Set<string>();
    const files = filesWith(
      [editor],
      {},
      {
        isGuarded: async () => true,
        allowed: { askFor: () => "ask-1", isAllowed: (_use, real) => allowed.has(real) },
      },
    );
    expect(await refusedWith(files.read({ path }))).toBe("permission-denied");
    expect(await refusedWith(files.write({ path, content: "" }))).toBe("permission-denied");
    expect(editor.requests).toEqual([]);
    allowed.add(path);
    expect(await files.read({ path })).toEqual({ content: "secret" });
  });
});

describe("writing where an editor is attached", () => {
  it("goes there, and not to the disk", async () => {
    const editor = new ScriptedEditor("Zed", {});
    await filesWith([editor]).write({ path, content: "né" });
    const params = { sessionId: "session", path, content: "né" };
    expect(editor.requests).toEqual([{ method: "fs/write_text_file", params }]);
    expect(await onDisk()).toBe("on the disk");
    expect(scratch.events).toEqual([
      { kind: "file-written", path, bytes: 3, via: "editor", editor: "Zed" },
    ]);
  });

  it("goes to the next editor, and then to the disk, if one refuses", async () => {
    const second = new ScriptedEditor("Emacs", {}, refused());
    const files = filesWith([new ScriptedEditor("Zed", refused(), refused()), second]);
    await files.write({ path, content: "1" });
    expect(await onDisk()).toBe("on the disk");
    await files.write({ path, content: "2" });
    expect(await onDisk()).toBe("2");
    expect(scratch.events).toMatchObject([{ editor: "Emacs" }, { via: "disk" }]);
  });

  it.each<[string, Answer]>([
    ["is lost", lost()],
    ["does not answer", never],
    ["answers with nonsense", new LandlineError("agent-protocol-error")],
  ])("goes to the disk, and to no other editor, if the editor %s", async (_, answer) => {
    const first = new ScriptedEditor("Zed", answer);
    const second = new ScriptedEditor("Emacs");
    const files = filesWith([first, second]);
    await expire(first, () => files.write({ path, content: "new" }));
    expect(await onDisk()).toBe("new");
    expect(second.requests).toEqual([]);
    expect(scratch.events).toEqual([{ kind: "file-written", path, bytes: 3, via: "disk" }]);
  });

  it("is not repeated if the lost editor has saved it", async () => {
    const editor = new ScriptedEditor("Zed", async () => {
      await writeFile(path, "new");
      return lost();
    });
    await filesWith([editor]).write({ path, content: "new" });
    expect(scratch.events).toMatchObject([{ kind: "file-written", via: "editor", editor: "Zed" }]);
    expect(await readdir(scratch.project)).toEqual(["a.txt"]);
  });

  it("never overwrites what was saved while the editor was lost", async () => {
    const editor = new ScriptedEditor("Zed", async () => {
      await writeFile(path, "of a person");
      return lost();
    });
    const error = await filesWith([editor])
      .write({ path, content: "new" })
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      code: "connection-lost",
      message: expect.stringContaining("It was not overwritten") as string,
    });
    expect(await onDisk()).toBe("of a person");
    expect(scratch.events).toMatchObject([{ kind: "error", code: "connection-lost" }]);
  });

  it("keeps its order, and a failed write delays no later one", async () => {
    const editor = new ScriptedEditor("Zed", refused(), {}, {});
    const files = filesWith([editor]);
    await Promise.all(["1", "2", "3"].map((content) => files.write({ path, content })));
    expect(editor.requests.map(({ params }) => params)).toMatchObject([
      { content: "1" },
      { content: "2" },
      { content: "3" },
    ]);
  });
});

describe("editors of a session", () => {
  it("are asked in the order in which a person used them last", () => {
    const [zed, emacs] = [new ScriptedEditor("Zed"), new ScriptedEditor("Emacs")];
    const all = new Editors();
    all.attach("a", zed);
    all.attach("a", emacs);
    all.attach("b", zed);
    const names = (sessionId: string) =>
      all
        .of(sessionId)
        .list()
        .map(({ name }) => name);
    expect(names("a")).toEqual(["Emacs", "Zed"]);
    all.attach("a", zed);
    expect(names("a")).toEqual(["Zed", "Emacs"]);
    all.of("a").ignore(zed);
    expect(names("a")).toEqual(["Emacs"]);
    all.attach("b", zed);
    expect(names("a")).toEqual(["Zed", "Emacs"]);
    all.detach("a", zed);
    all.detach("a", emacs);
    expect([names("a"), names("b")]).toEqual([[], ["Zed"]]);
  });
});
