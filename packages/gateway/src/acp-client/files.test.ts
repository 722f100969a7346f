import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { fc, test } from "@fast-check/vitest";
import { LandlineError } from "@landline/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostilePaths } from "../../test/acp-client/hostile-paths.ts";
import { makeHostileTree } from "../../test/acp-client/hostile-tree.ts";
import { withoutRights } from "../../test/acp-client/rights.ts";
import { openScratch, refusedWith, type Scratch } from "../../test/acp-client/scratch.ts";
import { Files, type FilesOptions } from "./files.ts";

let scratch: Scratch;

beforeEach(async () => {
  scratch = await openScratch();
});

afterEach(async () => {
  await scratch[Symbol.asyncDispose]();
});

type Changes = Parameters<Scratch["context"]>[0];

const filesOf = (changes?: Changes, options: Partial<FilesOptions> = {}) =>
  new Files(scratch.context(changes), {
    missingFileIsEmpty: false,
    temporaries: scratch.temporaries,
    ...options,
  });

const at = (name: string) => join(scratch.project, name);

async function contentOf(
  bytes: string | Uint8Array,
  params: { line?: number | null; limit?: number | null } = {},
) {
  await writeFile(at("a.txt"), bytes);
  return (await filesOf().read({ path: at("a.txt"), ...params })).content;
}

describe("reading", () => {
  it.each([
    ["nothing", ""],
    ["one line without a line feed", "one"],
    ["LF", "one\ntwo\n"],
    ["CRLF", "one\r\ntwo\r\n"],
    ["CR alone", "one\rtwo\r"],
    ["a BOM", "\uFEFFone\n"],
    ["characters of every length", "aé€😀\u{10FFFF}\u2028\u2029"],
    ["control characters", "\u0001\u001B[31m\u007F\t\f"],
    ["replacement characters that are in the file", "\uFFFD"],
  ])("returns %s unchanged", async (_what, text) => {
    expect(await contentOf(text)).toBe(text);
    expect(await contentOf(text, { line: null, limit: null })).toBe(text);
    expect(await contentOf(text, { line: 1, limit: 1_000 })).toBe(text);
  });

  it("counts lines from 1, with their line ends", async () => {
    const text = "one\r\ntwo\nthree\n\nfive";
    const cases: [line: number | null, limit: number | null, expected: string][] = [
      [1, 1, "one\r\n"],
      [2, 1, "two\n"],
      [2, 2, "two\nthree\n"],
      [4, 1, "\n"],
      [4, null, "\nfive"],
      [5, 1, "five"],
      [5, 100, "five"],
      [6, 1, ""],
      [4_294_967_295, 1, ""],
      [null, 2, "one\r\ntwo\n"],
      [0, 1, "one\r\n"],
      [3, 0, ""],
      [null, 4_294_967_295, text],
    ];
    for (const [line, limit, expected] of cases) {
      const content = await contentOf(text, { line, limit });
      expect({ line, limit, content }).toEqual({ line, limit, content: expected });
    }
  });

  test.prop(
    [
      fc.array(fc.constantFrom("\n", "\r\n", "a", "é", "😀", "x".repeat(50_000)), {
        maxLength: 40,
      }),
      fc.integer({ min: 1, max: 10 }),
    ],
    { numRuns: 60 },
  )("in pieces of any number of lines returns the whole file", async (parts, limit) => {
    await using own = await openScratch();
    const path = join(own.project, "a.txt");
    const text = parts.join("");
    await writeFile(path, text);
    const files = new Files(own.context(), {
      missingFileIsEmpty: false,
      temporaries: own.temporaries,
    });
    const lines = text.split("\n").length;
    let joined = "";
    for (let line = 1; line <= lines; line += limit) {
      joined += (await files.read({ path, line, limit })).content;
    }
    expect(joined).toBe(text);
  });

  it.each([
    ["a NUL", Buffer.from("text\0more")],
    ["UTF-16", Buffer.from("\uFEFFtext", "utf16le")],
    ["Latin-1", Buffer.from("caf\u00E9", "latin1")],
    ["a character that is cut off", Buffer.from("€").subarray(0, 2)],
    ["half a surrogate pair", Buffer.from([0xed, 0xa0, 0x80])],
    ["an overlong form", Buffer.from([0xc0, 0xaf])],
    ["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ])("refuses %s", async (_what, bytes) => {
    expect(await refusedWith(contentOf(bytes))).toBe("file-too-large");
    expect(await refusedWith(contentOf(bytes, { line: 1, limit: 5 }))).toBe("file-too-large");
    expect(scratch.events).toEqual([]);
  });

  it("refuses a file that is too long, before it is read", async () => {
    const files = filesOf({ limits: { fileBytes: 10 } });
    await writeFile(at("fits"), "0123456789");
    expect(await files.read({ path: at("fits") })).toEqual({ content: "0123456789" });
    await writeFile(at("long"), "0123456789\n");
    expect(await refusedWith(files.read({ path: at("long") }))).toBe("file-too-large");
    await writeFile(at("sparse"), "");
    await truncate(at("sparse"), 1_000_000_000_000);
    await expect(files.read({ path: at("sparse") })).rejects.toMatchObject({
      code: "file-too-large",
      message: "The text is longer than 10 bytes.",
    });
    // With a line range it is read, and is not text.
    expect(await refusedWith(files.read({ path: at("sparse"), line: 7, limit: 1 }))).toBe(
      "file-too-large",
    );
  });

  it("reads a part of a file that is too long as a whole", async () => {
    const line = `${"x".repeat(99)}\n`;
    await writeFile(at("long"), line.repeat(200_000));
    const files = filesOf();
    expect(await refusedWith(files.read({ path: at("long") }))).toBe("file-too-large");
    expect(await files.read({ path: at("long"), line: 199_999, limit: 10 })).toEqual({
      content: line.repeat(2),
    });
    expect(await refusedWith(files.read({ path: at("long"), line: 2 }))).toBe("file-too-large");
    expect(await refusedWith(files.read({ path: at("long"), limit: 150_000 }))).toBe(
      "file-too-large",
    );
  });

  it("stays within the limit when the file grows meanwhile", async () => {
    const files = filesOf({ limits: { fileBytes: 100_000 } });
    await writeFile(at("growing"), "");
    await using writer = await open(at("growing"), "a");
    const ended = new AbortController();
    const writing = (async () => {
      while (!ended.signal.aborted) await writer.write("x".repeat(50_000));
    })();
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 20; tries += 1) {
      const result = await files.read({ path: at("growing") }).catch((error: unknown) => error);
      const { content, code } = result as { content?: string; code?: string };
      expect((content ?? "").length).toBeLessThanOrEqual(100_000);
      outcomes.add(code ?? "read");
    }
    ended.abort();
    await writing;
    expect(outcomes).toContain("file-too-large");
  });

  it("reports a missing file, or returns an empty text if the agent needs that", async () => {
    expect(await refusedWith(filesOf().read({ path: at("missing") }))).toBe("file-not-found");
    const lenient = filesOf({}, { missingFileIsEmpty: true });
    expect(await lenient.read({ path: at("missing") })).toEqual({ content: "" });
    expect(await lenient.read({ path: at("missing/below") })).toEqual({ content: "" });
    expect(await refusedWith(lenient.read({ path: "/etc/missing" }))).toBe("permission-denied");
    expect(scratch.events).toEqual([]);
  });

  it("is recorded when it is done, with the path", async () => {
    await writeFile(at("a.txt"), "é\ntwo\n");
    const files = filesOf();
    await files.read({ path: at("a.txt") });
    await files.read({ path: at("./a.txt"), line: 1, limit: 1 });
    expect(scratch.events).toEqual([
      { kind: "file-read", path: at("a.txt"), bytes: 7, via: "disk" },
      { kind: "file-read", path: at("a.txt"), bytes: 3, via: "disk", line: 1, limit: 1 },
    ]);
  });

  it("leaves no file open", async () => {
    const before = (await readdir("/proc/self/fd")).length;
    await writeFile(at("binary"), "\0");
    await mkdir(at("folder"));
    const files = filesOf();
    for (let times = 0; times < 50; times += 1) {
      for (const name of ["binary", "missing", "folder"])
        await refusedWith(files.read({ path: at(name) }));
      await files.write({ path: at("new/a.txt"), content: "text" });
      await files.read({ path: at("new/a.txt") });
    }
    expect((await readdir("/proc/self/fd")).length).toBeLessThan(before + 20);
  });
});

describe("writing", () => {
  it.each(["", "one", "one\r\ntwo\r\n", "\uFEFFone", "aé€😀\u{10FFFF}", "x".repeat(3_000_000)])(
    "writes the text byte for byte",
    async (content) => {
      expect(await filesOf().write({ path: at("a.txt"), content })).toEqual({});
      expect((await readFile(at("a.txt"))).equals(Buffer.from(content))).toBe(true);
    },
  );

  it("creates the parent folders, and a file with the umask's mode", async () => {
    await filesOf().write({ path: at("some/new/folder/a.txt"), content: "text" });
    expect(await readFile(at("some/new/folder/a.txt"), "utf8")).toBe("text");
    const mask = process.umask();
    expect((await stat(at("some/new/folder/a.txt"))).mode & 0o777).toBe(0o666 & ~mask);
    expect((await stat(at("some/new"))).mode & 0o777).toBe(0o777 & ~mask);
  });

  it.each([0o600, 0o640, 0o755, 0o777, 0o666])("keeps the mode %o", async (mode) => {
    await writeFile(at("a.sh"), "old");
    await chmod(at("a.sh"), mode);
    await filesOf().write({ path: at("a.sh"), content: "new" });
    expect((await stat(at("a.sh"))).mode & 0o7777).toBe(mode);
    expect(await readFile(at("a.sh"), "utf8")).toBe("new");
  });

  it.runIf(process.getuid?.() === 0)("keeps the owner", async () => {
    await writeFile(at("a.txt"), "old");
    await chown(at("a.txt"), 1_234, 2_345);
    await filesOf().write({ path: at("a.txt"), content: "new" });
    expect(await stat(at("a.txt"))).toMatchObject({ uid: 1_234, gid: 2_345 });
  });

  it("writes to the target of a link inside, and keeps the link", async () => {
    await writeFile(at("real.txt"), "old");
    await symlink("real.txt", at("link.txt"));
    await filesOf().write({ path: at("link.txt"), content: "new" });
    expect(await readFile(at("real.txt"), "utf8")).toBe("new");
    expect((await lstat(at("link.txt"))).isSymbolicLink()).toBe(true);
    expect(scratch.events).toEqual([
      { kind: "file-written", path: at("real.txt"), bytes: 3, via: "disk" },
    ]);
  });

  it("does not change a file outside that is hard-linked inside", async () => {
    await writeFile(join(scratch.outside, "a.txt"), "outside");
    await link(join(scratch.outside, "a.txt"), at("a.txt"));
    await filesOf().write({ path: at("a.txt"), content: "new" });
    expect(await readFile(join(scratch.outside, "a.txt"), "utf8")).toBe("outside");
  });

  it("refuses text that UTF-8 cannot encode, and text that is too long", async () => {
    const files = filesOf({ limits: { fileBytes: 4 } });
    for (const content of ["a\0b", "\uD800", "a\uDC00b"]) {
      expect(await refusedWith(files.write({ path: at("a.txt"), content }))).toBe("invalid-params");
    }
    expect(await refusedWith(files.write({ path: at("a.txt"), content: "€€" }))).toBe(
      "file-too-large",
    );
    expect(await readdir(scratch.project)).toEqual([]);
    await files.write({ path: at("a.txt"), content: "4444" });
    expect(scratch.events).toHaveLength(1);
  });

  it("refuses hostile paths, changes nothing outside and leaves nothing behind", async () => {
    await using _tree = await makeHostileTree(scratch);
    const files = filesOf();
    const before = await readdir(scratch.project);
    for (const { path, write } of hostilePaths) {
      const filled = path
        .replaceAll("PROJECT", scratch.project)
        .replaceAll("OUTSIDE", scratch.outside);
      if (write === "taken") continue;
      const outcome = await refusedWith(files.write({ path: filled, content: "hostile" }));
      expect({ path, outcome }).toEqual({ path, outcome: write });
    }
    expect(await readdir(scratch.project)).toEqual(before);
    expect(await readdir(scratch.outside)).toEqual(["secret.txt"]);
    expect(await readFile(join(scratch.outside, "secret.txt"), "utf8")).toBe("secret");
    expect(scratch.events).toEqual([]);
  });

  it("refuses a read-only file and folder, and leaves them unchanged", async () => {
    await mkdir(at("closed"));
    await writeFile(at("closed/a.txt"), "old");
    await writeFile(at("closed/read-only.txt"), "old");
    await chmod(at("closed/a.txt"), 0o666);
    await chmod(at("closed/read-only.txt"), 0o444);
    await chmod(at("closed"), 0o555);
    await mkdir(at("open"));
    await writeFile(at("open/read-only.txt"), "old");
    await chmod(at("open/read-only.txt"), 0o444);
    await chmod(at("open"), 0o777);
    await chmod(join(dirname(scratch.project), "writes"), 0o777);
    const files = filesOf();
    const codes = await withoutRights(dirname(scratch.project), () =>
      Promise.all(
        [
          "closed/a.txt",
          "closed/new.txt",
          "closed/new/a.txt",
          "closed/read-only.txt",
          "open/read-only.txt",
        ].map((name) => refusedWith(files.write({ path: at(name), content: "new" }))),
      ),
    );
    expect(codes).toEqual(Array.from({ length: 5 }, () => "permission-denied"));
    expect(await readdir(at("closed"))).toEqual(["a.txt", "read-only.txt"]);
    expect(await readdir(at("open"))).toEqual(["read-only.txt"]);
    expect(await readFile(at("open/read-only.txt"), "utf8")).toBe("old");
    await chmod(at("closed"), 0o700);
  });

  it("to one file happens in the order of the requests, by any of its names", async () => {
    await mkdir(at("folder"));
    await symlink("folder", at("link"));
    const files = filesOf({ takesRelativePaths: true });
    const names = ["folder/a.txt", "link/a.txt", "./folder//a.txt"];
    const writes = Array.from({ length: 60 }, (_, index) => {
      const path = index % 2 === 0 ? at(names[index % 3]!) : names[index % 3]!;
      return files.write({ path, content: "x".repeat((index * 7_919) % 50_000) + index });
    });
    await Promise.all(writes);
    expect((await readFile(at("folder/a.txt"), "utf8")).endsWith("59")).toBe(true);
    expect(scratch.events.map((event) => "bytes" in event && event.bytes)).toEqual(
      Array.from({ length: 60 }, (_, index) => ((index * 7_919) % 50_000) + String(index).length),
    );
  });

  it("continues after one that failed", async () => {
    const files = filesOf();
    await mkdir(at("folder"));
    const outcomes = await Promise.all([
      refusedWith(files.write({ path: at("folder"), content: "1" })),
      refusedWith(files.write({ path: at("a.txt"), content: "2" })),
      refusedWith(files.write({ path: at("folder"), content: "3" })),
      refusedWith(files.write({ path: at("a.txt"), content: "4" })),
    ]);
    expect(outcomes).toEqual(["permission-denied", "taken", "permission-denied", "taken"]);
    expect(await readFile(at("a.txt"), "utf8")).toBe("4");
  });

  it("shows a reader the old text or the new one, never a part", async () => {
    const texts = ["a".repeat(400_000), "b".repeat(300_000)];
    await writeFile(at("a.txt"), texts[0]!);
    const files = filesOf();
    const ended = new AbortController();
    const reading = (async () => {
      let reads = 0;
      for (; !ended.signal.aborted; reads += 1)
        expect(texts).toContain(await readFile(at("a.txt"), "utf8"));
      return reads;
    })();
    for (let times = 0; times < 40; times += 1) {
      await files.write({ path: at("a.txt"), content: texts[times % 2]! });
    }
    ended.abort();
    expect(await reading).toBeGreaterThan(0);
    expect(await readdir(scratch.project)).toEqual(["a.txt"]);
  });

  it("replaces a program that runs", async () => {
    await copyFile("/bin/sleep", at("program"));
    await chmod(at("program"), 0o755);
    const running = spawn(at("program"), ["60"]);
    await once(running, "spawn");
    await filesOf().write({ path: at("program"), content: "#!/bin/sh\n" });
    expect(await readFile(at("program"), "utf8")).toBe("#!/bin/sh\n");
    running.kill("SIGKILL");
    await once(running, "exit");
  });

  it("reports to the agent that the log refused the record", async () => {
    const refusing = {
      record: () => {
        throw new Error("the log is full");
      },
    };
    const files = filesOf(refusing);
    await expect(files.write({ path: at("a.txt"), content: "text" })).rejects.toThrow(
      "the log is full",
    );
  });
});

describe("rates", () => {
  it("delay requests, and never refuse them", async () => {
    await writeFile(at("a.txt"), "text");
    const files = filesOf({ limits: { fileReadsPerMinute: 2, fileWritesPerMinute: 1 } });
    await files.read({ path: at("a.txt") });
    await files.read({ path: at("a.txt") });
    await files.write({ path: at("a.txt"), content: "new" });
    const abort = new AbortController();
    const third = refusedWith(files.read({ path: at("a.txt") }, abort.signal));
    const second = refusedWith(files.write({ path: at("a.txt"), content: "newer" }, abort.signal));
    await stat(at("a.txt"));
    expect(scratch.events).toHaveLength(3);
    abort.abort(new LandlineError("request-cancelled"));
    expect(await Promise.all([third, second])).toEqual(["request-cancelled", "request-cancelled"]);
    expect(await readFile(at("a.txt"), "utf8")).toBe("new");
  });
});
