import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { array, assert, asyncProperty, integer, oneof, constant, uint8Array } from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTranscript, record, type RecordOptions } from "./golden.ts";

let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "golden-"));
});
afterAll(() => rm(folder, { recursive: true }));

function newPath(): string {
  count += 1;
  return join(folder, `${count}.ndjson`);
}

const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Records an agent that writes these chunks and reads nothing. */
async function recordSaid(chunks: readonly Buffer[], more: Partial<RecordOptions> = {}) {
  const path = newPath();
  const client = { output: new PassThrough(), input: new PassThrough() };
  const passed = buffer(client.input).catch(() => Buffer.alloc(0));
  const agent = { stdin: sink(), stdout: Readable.from(chunks, { objectMode: false }) };
  await record({ path, client, agent, clock: () => 0, ...more });
  return { entries: await readTranscript(path), passed: await passed };
}

/** Writes to stderr, then answers every line with its id, and exits with its input. */
const answering = `
  process.stderr.write("agent is up\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id } = JSON.parse(line);
    process.stdout.write('plain words\\n' + JSON.stringify({ jsonrpc: "2.0", id, result: { id } }) + "\\n");
  });`;

describe("a recording", () => {
  test("of a real process has every line in order, and does not affect the client", async () => {
    const agent = spawn(process.execPath, ["-e", answering]);
    const path = newPath();
    const client = { output: new PassThrough(), input: new PassThrough() };
    const heard = buffer(client.input);
    const done = record({ path, client, agent, meta: { agent: "answering" } });
    for (const id of [1, 2, 3]) client.output.write(`${JSON.stringify({ id })}\n`);
    client.output.end();
    await done;

    const entries = await readTranscript(path);
    expect(entries[0]).toEqual({
      t: expect.any(Number) as number,
      dir: "meta",
      msg: { agent: "answering" },
    });
    const only = (dir: string) => entries.filter((entry) => entry.dir === dir);
    expect(only("out").map(({ msg }) => msg)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(only("stderr").map(({ line }) => line)).toEqual(["agent is up"]);
    expect(only("in").map(({ msg, line }) => msg ?? line)).toEqual(
      [1, 2, 3].flatMap((id) => ["plain words", { jsonrpc: "2.0", id, result: { id } }]),
    );
    for (const id of [1, 2, 3]) {
      const asked = entries.findIndex(({ dir, msg }) => dir === "out" && idOf(msg) === id);
      const answered = entries.findIndex(({ dir, msg }) => dir === "in" && idOf(msg) === id);
      expect(asked).toBeLessThan(answered);
    }
    expect(entries.map(({ t }) => t)).toEqual(entries.map(({ t }) => t).toSorted((a, b) => a - b));
    expect((await heard).toString()).toBe(
      [1, 2, 3]
        .map((id) => `plain words\n{"jsonrpc":"2.0","id":${id},"result":{"id":${id}}}\n`)
        .join(""),
    );
  });

  test("of a process that dies ends, although the client still writes", async () => {
    const agent = spawn(process.execPath, [
      "-e",
      `process.stdout.write('{"a":1}\\n{"b":'); process.exitCode = 3;`,
    ]);
    const path = newPath();
    const client = { output: new PassThrough(), input: new PassThrough().resume() };
    client.output.write('{"id":1}\n');
    await record({ path, client, agent });
    const said = (await readTranscript(path)).filter(({ dir }) => dir === "in");
    expect(said.map(({ msg, line, cut }) => [msg ?? line, cut])).toEqual([
      [{ a: 1 }, undefined],
      ['{"b":', true],
    ]);
    expect(client.output.destroyed).toBe(true);
  });

  test("is the same for any splitting of the bytes, which pass unchanged", async () => {
    const line = oneof(
      uint8Array({ maxLength: 8 }),
      constant(Buffer.from('{"jsonrpc":"2.0","method":"é👩‍🚀"}\n')),
      constant(Buffer.from("\n")),
    );
    await assert(
      asyncProperty(array(line), array(integer({ min: 1, max: 9 })), async (parts, lengths) => {
        const bytes = Buffer.concat(parts);
        const chunks: Buffer[] = [];
        let at = 0;
        for (const length of lengths) chunks.push(bytes.subarray(at, (at += length)));
        chunks.push(bytes.subarray(at));
        const whole = await recordSaid([bytes]);
        const cut = await recordSaid(chunks.filter(({ length }) => length > 0));
        expect(cut.entries).toEqual(whole.entries);
        expect(cut.passed.equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  test("keeps scalars, blank lines and broken text as lines", async () => {
    const { entries } = await recordSaid([
      Buffer.from('42\nnull\n\n"text"\n[1]\n\xff\n', "latin1"),
    ]);
    expect(entries.map(({ msg, line }) => msg ?? line)).toEqual([
      "42",
      "null",
      "",
      '"text"',
      [1],
      "\ufffd",
    ]);
  });

  test("keeps the beginning of a line that is too long, and its length", async () => {
    const long = "x".repeat(5_000);
    const chunks = [long.slice(0, 3_000), `${long.slice(3_000)}\n`, '{"next":true}\n'];
    const { entries, passed } = await recordSaid(
      chunks.map((one) => Buffer.from(one)),
      {
        lineBytesMax: 4_000,
      },
    );
    expect(entries).toEqual([
      { t: 0, dir: "in", line: "x".repeat(1_024), bytes: 5_000 },
      { t: 0, dir: "in", msg: { next: true } },
    ]);
    expect(passed.length).toBe(5_001 + 14);
  });

  test("is scrubbed in the file only", async () => {
    const { entries, passed } = await recordSaid([Buffer.from('{"cwd":"/home/me/repo"}\n')], {
      scrub: (line) => line.replaceAll("/home/me", "/home/user"),
    });
    expect(entries).toEqual([{ t: 0, dir: "in", msg: { cwd: "/home/user/repo" } }]);
    expect(passed.toString()).toContain("/home/me/repo");
  });

  test("fails if its file can't be created, or a line can't be scrubbed", async () => {
    const path = join(folder, "no", "such", "folder");
    await expect(recordSaid([Buffer.from("a\n")], { path })).rejects.toThrow("ENOENT");
    const scrub = () => {
      throw new Error("no way");
    };
    const unclean = recordSaid([Buffer.from("a\n")], { scrub });
    await expect(unclean).rejects.toThrow("A line can't be scrubbed: Error: no way");
  });

  // Only Linux has a file that behaves like a full disk.
  test.runIf(existsSync("/dev/full"))("fails when its file can't be written", async () => {
    const full = recordSaid([Buffer.from("a\n")], { path: "/dev/full" });
    await expect(full).rejects.toThrow("ENOSPC");
  });
});

describe("a transcript", () => {
  test.each([
    ["{", "is not a JSON object"],
    ["7", "is not a JSON object"],
    ['{"dir":"in","msg":{}}', "t is not a number"],
    ['{"t":1,"dir":"up","msg":{}}', "dir is not one of in, out, stderr, meta"],
    ['{"t":1,"dir":"in"}', "there is msg or line, and not both"],
    ['{"t":1,"dir":"out","msg":{},"line":""}', "there is msg or line, and not both"],
    ['{"t":1,"dir":"stderr","msg":{}}', "an entry of stderr has a line"],
    ['{"t":1,"dir":"in","line":7}', "line is not a text"],
  ])("with the line %s is refused with its position", async (line, problem) => {
    const path = newPath();
    await writeFile(path, `{"t":0,"dir":"meta"}\n${line}\n`);
    await expect(readTranscript(path)).rejects.toThrow(`${path}:2: ${problem}.`);
  });

  test("keeps unknown fields", async () => {
    const path = newPath();
    await writeFile(path, '{"t":0,"dir":"meta","spawn":["agent"]}\n');
    expect(await readTranscript(path)).toEqual([{ t: 0, dir: "meta", spawn: ["agent"] }]);
  });
});

function idOf(value: unknown): unknown {
  return (value as { id?: unknown } | undefined)?.id;
}
