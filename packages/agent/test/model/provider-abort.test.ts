import { describe, expect, test } from "vitest";
import type { StepPart } from "../../src/model/stream.ts";
import { collect, kinds, openStep, textOf } from "./provider-fixture.ts";

describe.each(kinds)("$kind", (each) => {
  describe("an abort ends the stream, and leaves no connection", () => {
    test("before the headers", async () => {
      const { server, step } = await openStep(each, [
        { parts: [{ type: "text", text: "x" }], trouble: { kind: "hang", beforeHeaders: true } },
      ]);
      const controller = new AbortController();
      const parts = collect(step({ signal: controller.signal }));
      const request = await server.whenRequested(1);
      controller.abort();
      expect(await parts).toEqual([]);
      expect(await request.ended).toBe("client-gone");
    });

    test.each(["text", "tool-call"] as const)("in the middle of a %s", async (what) => {
      const { server, step } = await openStep(each, [
        {
          parts: [
            { type: "text", text: "I look at it now.", chunkLength: 4 },
            {
              type: "tool-call",
              name: "read",
              arguments: { filePath: "a long path of a file" },
              chunkLength: 4,
            },
          ],
          trouble: { kind: "hang", afterChunks: what === "text" ? 2 : 7 },
        },
      ]);
      const controller = new AbortController();
      const parts: StepPart[] = [];
      for await (const part of step({ signal: controller.signal })) {
        parts.push(part);
        // Google sends a call in one piece, so it cannot be cut.
        const announced = part.type === "tool-input-start" || part.type === "tool-call";
        if (what === "text" ? textOf(parts).length >= 4 : announced) controller.abort();
      }
      const [request] = server.requests;
      expect(await request?.ended).toBe("client-gone");
      expect(parts.some(({ type }) => type === "finish")).toBe(false);
    });

    test("when the reader stops", async () => {
      const { server, step } = await openStep(each, [
        {
          parts: [{ type: "text", text: "one two three four", chunkLength: 4 }],
          trouble: { kind: "hang", afterChunks: 2 },
        },
      ]);
      for await (const part of step()) if (part.type === "text-delta") break;
      expect(await server.requests[0]?.ended).toBe("client-gone");
    });

    test("before the start: nothing is sent", async () => {
      const { server, step } = await openStep(each, ["x"]);
      expect(await collect(step({ signal: AbortSignal.abort() }))).toEqual([]);
      expect(server.requests).toHaveLength(0);
    });
  });
});
