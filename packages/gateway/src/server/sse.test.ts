import { describe, expect, it } from "vitest";
import type { LogChunk } from "../log/log.ts";
import { sseBytes, sseEvent } from "./sse.ts";

function chunk(...lines: readonly string[]): LogChunk {
  return { first: 7, last: 6 + lines.length, bytes: Buffer.from(`${lines.join("\n")}\n`) };
}

describe("lines of the log as server-sent events", () => {
  it("are made once for all receivers of the same chunk", () => {
    const one = chunk('{"seq":7,"at":0,"kind":"error","code":"x","message":"y"}');
    expect(sseBytes(one, "landline", "s")).toBe(sseBytes(one, "landline", "s"));
    expect(sseBytes(one, "codeopen", "s")).toBe(sseBytes(one, "codeopen", "s"));
    expect(sseBytes(one, "landline", "s")).not.toBe(sseBytes(one, "codeopen", "s"));
  });

  it("have number and kind, and the unchanged line", () => {
    const lines = [
      '{"seq":7,"at":-1,"kind":"update","update":{"sessionUpdate":"x","text":"ü\\n"}}',
      '{"seq":8,"at":1,"kind":"turn-started","turnId":"t","promptId":"p"}',
    ];
    expect(sseBytes(chunk(...lines), "landline", "s").toString()).toBe(
      `id: 7\nevent: update\ndata: ${lines[0]}\n\nid: 8\nevent: turn-started\ndata: ${lines[1]}\n\n`,
    );
  });

  it("may have another spelling, for older logs", () => {
    const line = '{ "kind": "new\\nkind: x", "seq": 7, "at": 1.5 }';
    expect(sseBytes(chunk(line), "landline", "s").toString()).toBe(
      `id: 7\nevent: new-kind--x\ndata: ${line}\n\n`,
    );
  });

  it("have an id on the last of the frames of one event", () => {
    const line =
      '{"seq":7,"at":1,"kind":"options-changed","modes":{"currentModeId":"m","availableModes":[]}}';
    const text = sseBytes(chunk(line), "codeopen", "s").toString();
    expect(text.match(/^id: /gm)).toHaveLength(1);
    expect(text).toMatch(/^event: options\.changed\n[\s\S]*\nid: 7\nevent: mode\.changed\n/);
  });
});

describe("events of the gateway", () => {
  it("are one line of data, for any content", () => {
    expect(sseEvent("ping", { text: "a\nb\r" })).toBe('event: ping\ndata: {"text":"a\\nb\\r"}\n\n');
  });
});
