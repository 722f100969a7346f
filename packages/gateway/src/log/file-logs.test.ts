import { spawnSync } from "node:child_process";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { limitsOf } from "@landline/protocol";
import { fileLogs } from "./file-logs.ts";
import {
  CountingSink,
  linesOf,
  logContract,
  readAll,
  update,
} from "../../test/log/log.contract.ts";
import type { SessionLog } from "./log.ts";

let folder: string;
beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(tmpdir(), "landline-log-"));
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

const small = limitsOf("default", { segmentBytes: 2_000, readBytes: 700, indexEvents: 4 });
const session = "session-1";
const segment = (first = 1) =>
  path.join(folder, session, `${String(first).padStart(12, "0")}.ndjson`);

/** Opens the folder as a new process would, runs the callback and closes it. */
async function opened<T>(work: (log: SessionLog) => T | Promise<T>): Promise<T> {
  const logs = fileLogs(folder, { limits: small });
  try {
    return await work(await logs.open(session));
  } finally {
    await logs.close();
  }
}

async function written(count: number): Promise<void> {
  const logs = fileLogs(folder, { limits: small });
  const log = await logs.create(session);
  for (let at = 1; at <= count; at++) log.append([update(`${at}`)]);
  await logs.close();
}

const dense = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const numbersNow = () => opened(async (log) => (await readAll(log)).map((event) => event.seq));

describe("logs in files", () => {
  logContract(async (options) => {
    const logs = fileLogs(folder, options);
    return { logs, dispose: () => logs.close() };
  });
});

describe("the files of a log", () => {
  test("are accessible only to their owner, and are readable text", async () => {
    await written(3);
    expect((await fs.stat(path.join(folder, session))).mode & 0o777).toBe(0o700);
    expect((await fs.stat(segment())).mode & 0o777).toBe(0o600);
    const lines = (await fs.readFile(segment(), "utf8")).trimEnd().split("\n");
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      format: "landline-log",
      version: 1,
      session,
      first: 1,
    });
    expect(lines).toHaveLength(4);
  });

  test("are segments named for their first event, none above the size limit", async () => {
    await written(100);
    const names = (await fs.readdir(path.join(folder, session))).sort();
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      const file = path.join(folder, session, name);
      expect((await fs.stat(file)).size).toBeLessThanOrEqual(2_000);
      const [header, first] = (await fs.readFile(file, "utf8")).split("\n");
      expect(JSON.parse(header ?? "")).toMatchObject({ first: Number.parseInt(name, 10) });
      expect(JSON.parse(first ?? "")).toMatchObject({ seq: Number.parseInt(name, 10) });
    }
    expect(await numbersNow()).toEqual(dense(100));
  });

  test("grow after the log was reopened", async () => {
    await written(30);
    await opened((log) => {
      expect(log.head).toBe(30);
      expect(log.durable).toBe(30);
      expect(log.append([update("on")]).first).toBe(31);
    });
    expect(await numbersNow()).toEqual(dense(31));
  });

  test("can be read from any sequence number after the log was reopened", async () => {
    await written(100);
    await opened(async (log) => {
      for (const after of [99, 3, 57, 0, 56]) {
        expect((await readAll(log, after))[0]?.seq).toBe(after + 1);
      }
      expect(linesOf([(await log.page(50, 5))!]).map((event) => event.seq)).toEqual([
        45, 46, 47, 48, 49,
      ]);
    });
  });

  property.prop(
    [fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 60 }), fc.nat()],
    {
      numRuns: 30,
    },
  )(
    "can be read from any sequence number with lines of any length, on the first read after opening",
    async (lengths, place) => {
      await fs.rm(path.join(folder, session), { recursive: true, force: true });
      const limits = limitsOf("default", { segmentBytes: 60_000, readBytes: 500 });
      const logs = fileLogs(folder, { limits });
      const log = await logs.create(session);
      for (const length of lengths) log.append([update("x".repeat(length))]);
      await logs.close();
      const after = place % (lengths.length + 1);
      const again = fileLogs(folder, { limits });
      const events = await readAll(await again.open(session), after);
      expect(events.map((event) => event.seq)).toEqual(dense(lengths.length).slice(after));
      await again.close();
    },
  );

  test("are all removed by a deletion, even by one that a crash interrupted", async () => {
    await written(3);
    await fs.mkdir(path.join(folder, ".deleted-old-1-1"));
    const logs = fileLogs(folder);
    await logs.delete(session);
    expect(await logs.list()).toEqual([]);
    expect(await fs.readdir(folder)).toEqual([]);
  });

  test("unfinished blobs are removed, and finished ones are kept", async () => {
    await written(1);
    const blobs = path.join(folder, session, "blobs");
    const hash = "a".repeat(64);
    await fs.mkdir(blobs);
    for (const name of [hash, `${hash.replace("a", "b")}.part`])
      await fs.writeFile(path.join(blobs, name), "text");
    expect(await numbersNow()).toEqual([1]);
    expect(await fs.readdir(blobs)).toEqual([hash]);
  });

  test("a folder that a killed process created and never wrote to is an empty log", async () => {
    await fs.mkdir(path.join(folder, session));
    expect(await numbersNow()).toEqual([]);
  });

  test("writing many logs needs few open files", async () => {
    const logs = fileLogs(folder, { limits: limitsOf("default", { logsOpen: 3 }) });
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => logs.create(`many-${index}`)),
    );
    for (let round = 0; round < 5; round++) {
      for (const log of all) log.append([update(`${round}`)]);
      await Promise.all(all.map((log) => log.whenDurable(log.head)));
    }
    const open = await fs.readdir("/proc/self/fd").catch(() => []);
    const targets = await Promise.all(
      open.map((fd) => fs.readlink(`/proc/self/fd/${fd}`).catch(() => "")),
    );
    expect(targets.filter((target) => target.startsWith(folder)).length).toBeLessThanOrEqual(3);
    for (const log of all) expect(await readAll(log)).toHaveLength(5);
    await logs.close();
  });
});

describe("readers that catch up", () => {
  test("soon share reads, from any start position", async () => {
    await written(400);
    await opened(async (log) => {
      const sinks = [0, 3, 50].map((after) => ({ after, sink: new CountingSink() }));
      using tails = new DisposableStack();
      for (const { after, sink } of sinks) tails.use(log.tail(after, sink));
      for (const { sink } of sinks) await sink.until(() => sink.last === 400);
      for (const { after, sink } of sinks) {
        const numbers = linesOf(sink.chunks).map(({ seq }) => seq);
        expect(numbers).toEqual(dense(400).slice(after));
      }
      const [first, ...others] = sinks.map(({ sink }) => sink.chunks);
      for (const chunks of others) {
        const shared = chunks.filter((chunk) => first?.includes(chunk));
        expect(shared.length).toBeGreaterThan(chunks.length / 2);
      }
    });
  });

  test("share cached reads, which count by the size of their buffers", async () => {
    await written(400);
    await opened(async (log) => {
      const [early, late] = [new CountingSink(), new CountingSink(1)];
      using tails = new DisposableStack();
      const held = tails.use(log.tail(0, late));
      await late.until(() => late.last > 0);
      tails.use(log.tail(0, early));
      await early.until(() => early.last === 400);
      while (late.last < 400) {
        const { last } = late;
        held.resume();
        await late.until(() => late.last > last);
      }
      const unshared = late.chunks.filter((chunk) => !early.chunks.includes(chunk));
      expect(unshared.map(({ first }) => first)).toEqual([]);
    });
  });
});

describe("after a crash", () => {
  property.prop(
    [fc.integer({ min: 1, max: 24 }), fc.nat(2_000), fc.constantFrom("", "\0\0\0\0", '{"seq":')],
    { numRuns: 40 },
  )(
    "a torn last line is truncated at any byte, whole lines are kept, and numbering continues",
    async (count, cut, junk) => {
      await fs.rm(path.join(folder, session), { recursive: true, force: true });
      await written(count);
      const names = (await fs.readdir(path.join(folder, session))).sort();
      const last = path.join(folder, session, names.at(-1)!);
      const bytes = await fs.readFile(last);
      const kept = bytes.subarray(0, Math.max(0, bytes.length - (cut % (bytes.length + 1))));
      await fs.writeFile(last, Buffer.concat([kept, Buffer.from(junk)]));
      const earlier = Number.parseInt(names.at(-1)!, 10) - 1;
      const whole = kept.toString().split("\n").length - 1;
      const head = earlier + Math.max(0, whole - 1);
      expect(await numbersNow()).toEqual(dense(head));
      const left = await fs.readFile(last, "utf8").catch(() => "");
      expect(left).toBe(kept.subarray(0, kept.lastIndexOf("\n") + 1).toString());
      await opened((log) => expect(log.append([update("on")]).first).toBe(head + 1));
      expect(await numbersNow()).toEqual(dense(head + 1));
    },
  );
});

describe("a log that can't be read is reported and not changed", () => {
  async function unchanged(work: () => Promise<void>): Promise<void> {
    const before = await fs
      .readdir(path.join(folder, session))
      .then((names) =>
        Promise.all(names.map((name) => fs.readFile(path.join(folder, session, name)))),
      );
    await work();
    const after = await fs
      .readdir(path.join(folder, session))
      .then((names) =>
        Promise.all(names.map((name) => fs.readFile(path.join(folder, session, name)))),
      );
    expect(after).toEqual(before);
  }

  test("a newer format", async () => {
    await written(2);
    const text = await fs.readFile(segment(), "utf8");
    await fs.writeFile(segment(), text.replace('"version":1', '"version":2'));
    await unchanged(() =>
      expect(numbersNow()).rejects.toMatchObject({
        code: "log-newer",
        message: expect.stringContaining(segment()),
      }),
    );
  });

  const damages: [string, (lines: string[]) => string[]][] = [
    ["a line is missing", (lines) => lines.filter((_, index) => index !== 3)],
    [
      "a line is duplicated",
      (lines) => lines.flatMap((line, index) => (index === 3 ? [line, line] : [line])),
    ],
    ["a line is garbage", (lines) => lines.map((line, index) => (index === 3 ? "garbage" : line))],
    [
      "a line is zeros",
      (lines) => lines.map((line, index) => (index === 3 ? "\0".repeat(line.length) : line)),
    ],
    [
      "the last line is garbage",
      (lines) => lines.map((line, index) => (index === lines.length - 2 ? "}{" : line)),
    ],
    [
      "the last line has a number but is not JSON",
      (lines) =>
        lines.map((line, index) => (index === lines.length - 2 ? line.slice(0, -1) : line)),
    ],
    ["the header is not valid", (lines) => ["{}", ...lines.slice(1)]],
    [
      "the header names another session",
      (lines) => [lines[0]!.replace(session, "other"), ...lines.slice(1)],
    ],
    [
      "the header has another first number",
      (lines) => [lines[0]!.replace('"first":1', '"first":2'), ...lines.slice(1)],
    ],
  ];
  test.each(damages)("damage: %s", async (_, damage) => {
    await written(8);
    const lines = (await fs.readFile(segment(), "utf8")).split("\n");
    await fs.writeFile(segment(), damage(lines).join("\n"));
    await unchanged(() =>
      expect(numbersNow()).rejects.toMatchObject({
        code: "log-damaged",
        message: expect.stringMatching(/ndjson: .*Nothing was changed/),
      }),
    );
  });

  test("a segment in the middle is missing", async () => {
    await written(60);
    const names = (await fs.readdir(path.join(folder, session))).sort();
    await fs.rm(path.join(folder, session, names[1]!));
    await unchanged(() => expect(numbersNow()).rejects.toMatchObject({ code: "log-damaged" }));
  });

  test("the first segment is missing", async () => {
    await written(60);
    await fs.rm(segment());
    await unchanged(() => expect(numbersNow()).rejects.toMatchObject({ code: "log-damaged" }));
  });

  test("a file that was cut while the log is open", async () => {
    await written(8);
    await opened(async (log) => {
      await fs.truncate(segment(), (await fs.stat(segment())).size - 20);
      await unchanged(() =>
        expect(readAll(log)).rejects.toMatchObject({
          code: "log-damaged",
          message: expect.stringContaining("the file is shorter than before"),
        }),
      );
    });
  });

  test("a tail that reaches damage ends with the error", async () => {
    await written(60);
    const names = (await fs.readdir(path.join(folder, session))).sort();
    const broken = path.join(folder, session, names[1]!);
    await fs.writeFile(broken, (await fs.readFile(broken, "utf8")).replace('{"seq":', '{"sqe":'));
    await opened(async (log) => {
      const ended = Promise.withResolvers<Error | undefined>();
      log.tail(0, { write: () => true, end: (error) => ended.resolve(error) });
      await expect(ended.promise).resolves.toMatchObject({ code: "log-damaged" });
    });
  });
});

describe("a disk that rejects writes", () => {
  const attempt = path.join(import.meta.dirname, "../../test/log/refused-writer.ts");
  const node = (kind: string, shell?: string) =>
    spawnSync(
      shell ?? process.execPath,
      shell
        ? [
            "-c",
            `ulimit -f 8; exec "$0" --conditions=@landline/source "$@"`,
            process.execPath,
            attempt,
            kind,
            folder,
          ]
        : ["--conditions=@landline/source", attempt, kind, folder],
      { encoding: "utf8" },
    );

  test("a full disk: the append stores nothing, earlier events stay, and appends work again when there is space", () => {
    // A file size limit fails in the middle of a write, as a full disk does.
    const { stdout, stderr } = node("full", "/bin/bash");
    expect(stderr).toBe("");
    const { code, headBefore, headAfter, numbers, after } = JSON.parse(stdout) as Record<
      string,
      unknown
    >;
    expect(code).toBe("disk-full");
    expect(headAfter).toBe(headBefore);
    expect(numbers).toEqual(dense(headBefore as number));
    expect(after).toBe((headBefore as number) + 1);
  });

  test("a read-only folder can be read; append reports the file and the error code", () => {
    const { stdout, stderr } = node("read-only");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      read: [1, 2, 3],
      append: { code: "folder-unusable", message: expect.stringContaining("EACCES") },
      create: { code: "folder-unusable", message: expect.stringContaining("EACCES") },
    });
  });
});
