import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { WireTrace } from "./trace.ts";

const traceOf = (overrides: { traceLines?: number; traceLineLength?: number } = {}) =>
  new WireTrace(limitsOf("default", overrides), () => 5);

test("the last lines, the oldest first", () => {
  const trace = traceOf({ traceLines: 3 });
  expect(trace.lines()).toEqual([]);
  for (const line of ["1", "2"]) trace.add("in", line);
  expect(trace.lines().map(({ text }) => text)).toEqual(["1", "2"]);
  for (const line of ["3", "4", "not json"]) trace.add("out", line);
  expect(trace.lines()).toEqual([
    { at: 5, direction: "out", text: "3", length: 1 },
    { at: 5, direction: "out", text: "4", length: 1 },
    { at: 5, direction: "out", text: "not json", length: 8 },
  ]);
});

test("a line without secrets is shown to the byte", () => {
  const trace = traceOf();
  const line = '{ "jsonrpc":"2.0",  "method":"x", "params":{"b":1.0,"a":[]} }';
  trace.add("out", line);
  expect(trace.lines()[0]?.text).toBe(line);
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

test.each([opening.length, opening.length - 1])(
  "secrets are not shown, cut at %d or not",
  (traceLineLength) => {
    const trace = traceOf({ traceLineLength });
    trace.add("in", opening);
    const [line] = trace.lines();
    expect(line?.text).toContain("DB_PASSWORD");
    expect(line?.text).not.toMatch(/hunter2|s3cret/);
    expect(line?.length).toBe(opening.length);
  },
);

test("a long line is cut and tells its length", () => {
  const trace = traceOf({ traceLineLength: 10 });
  trace.add("out", "x".repeat(1_000));
  expect(trace.lines()).toMatchObject([{ text: "x".repeat(10), length: 1_000 }]);
});

test("with no lines to keep, none is kept", () => {
  const trace = traceOf({ traceLines: 0 });
  trace.add("in", "1");
  expect(trace.lines()).toEqual([]);
});
