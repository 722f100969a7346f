import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { limitsOf } from "@landline/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TraceLine, WireTrace } from "./trace.ts";

let folder: string;
let path: string;
let reported: unknown[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landline-trace-"));
  path = join(folder, "trace.ndjson");
  reported = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const traceOf = (overrides: { traceBytes?: number; traceLineLength?: number } = {}, at = path) =>
  new WireTrace({
    path: at,
    limits: limitsOf("default", overrides),
    report: (error) => reported.push(error),
    now: () => 5,
  });
const textOf = async (name = "trace.ndjson") => {
  await setImmediate();
  return readFile(join(folder, name), "utf8");
};
const linesOf = async (name?: string) =>
  (await textOf(name))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TraceLine);

test("records each line of the wire in order, in a private file", async () => {
  const trace = traceOf();
  trace.add("in", '{"id":1}');
  trace.add("out", "not json\r");
  expect(await linesOf()).toEqual([
    { at: 5, direction: "in", message: { id: 1 } },
    { at: 5, direction: "out", text: "not json" },
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  // Another agent of the session continues where this one stopped.
  traceOf().add("in", "{}");
  expect(await linesOf()).toHaveLength(3);
});

test("a message without secrets is recorded byte for byte", async () => {
  const line = '{ "jsonrpc":"2.0",  "method":"x", "params":{"b":1.0,"a":[]} }';
  traceOf().add("out", line);
  expect(await textOf()).toBe(`{"at":5,"direction":"out","message":${line}}\n`);
});

const opening = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "session/new",
  params: {
    mcpServers: [
      { name: "db", command: "db", args: [], env: [{ name: "DB_PASSWORD", value: "hunter2" }] },
      { type: "http", name: "h", url: "u", headers: [{ name: "X-Auth", value: "s3cret" }] },
    ],
  },
});

test.each([8_192, 150, 20])("secrets are masked, cut at %d or not", async (traceLineLength) => {
  traceOf({ traceLineLength }).add("in", opening);
  const text = await textOf();
  expect(text).toContain("jsonrpc");
  expect(text).not.toMatch(/hunter2|s3cret/);
});

test("a long line is cut with its length", async () => {
  traceOf({ traceLineLength: 10 }).add("out", "x".repeat(1_000));
  expect(await linesOf()).toEqual([
    { at: 5, direction: "out", text: "x".repeat(10), length: 1_000 },
  ]);
});

test("the files stay within their bound, and contain the latest lines", async () => {
  const trace = traceOf({ traceBytes: 2_000 });
  for (let count = 0; count < 1_000; count++) {
    trace.add("out", `{"count":${count}}`);
    if (count % 7 === 0) await setImmediate();
  }
  const older = await linesOf("trace.old.ndjson");
  const lines = [...older, ...(await linesOf())];
  const counts = lines.map(({ message }) => (message as { count: number }).count);
  expect(counts).toEqual(counts.map((_count, index) => 1_000 - counts.length + index));
  expect((await stat(path)).size).toBeLessThanOrEqual(1_000);
  expect((await stat(join(folder, "trace.old.ndjson"))).size).toBeLessThanOrEqual(1_000);
  expect((await readdir(folder)).sort()).toEqual(["trace.ndjson", "trace.old.ndjson"]);
});

test("a write error is reported once; a deleted file is not", async () => {
  const trace = traceOf({}, folder);
  for (let count = 0; count < 3; count++) {
    trace.add("in", "{}");
    await setImmediate();
  }
  expect(reported).toMatchObject([{ code: "EISDIR" }]);
  traceOf({}, join(folder, "gone", "trace.ndjson")).add("in", "{}");
  await setImmediate();
  expect(reported).toHaveLength(1);
});
