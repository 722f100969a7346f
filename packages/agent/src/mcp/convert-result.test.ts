import type { CallToolResult } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { convertResource, convertResult } from "./convert-result.ts";

it("omits content that is too large, with a note", () => {
  const data = "a".repeat(8 * 1_024 * 1_024);
  const { output, attachments, content } = convertResult({
    content: [{ type: "image", data, mimeType: "image/png" }],
  });
  expect(output).toBe("[image (image/png) was left out: it is larger than 5 MB]");
  expect(attachments).toEqual([]);
  expect(JSON.stringify(content).length).toBeLessThan(200);
});

it("converts an unknown type to a note", () => {
  const result = { content: [{ type: "hologram", data: 1 }] } as unknown as CallToolResult;
  expect(convertResult(result).output).toBe("[Content of an unknown type: hologram]");
});

it("passes documents that the model can read, and names the others", () => {
  const of = (mimeType: string) =>
    convertResource({ contents: [{ uri: "x://1", blob: "AA==", mimeType }] });
  expect(of("application/pdf").attachments).toHaveLength(1);
  expect(of("application/zip")).toMatchObject({
    output: "[document x://1 (application/zip)]",
    attachments: [],
  });
  expect(of("audio/wav").attachments).toHaveLength(1);
});

it("keeps text beside data unchanged", () => {
  const content = [{ type: "text" as const, text: "three" }];
  expect(convertResult({ content, structuredContent: { sum: 3 } }).output).toBe("three");
  expect(convertResult({ content: [] })).toEqual({ output: "", attachments: [], content: [] });
});
