import { asSchema } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toSdkTools, matchToolName } from "./sdk-tools.ts";

describe("matchToolName", () => {
  test.each([
    ["read", "read"],
    ["Read", "read"],
    ["todo_write", "todowrite"],
    ["Web-Fetch", "webfetch"],
    ["server.tool", "server_tool"],
    ["teleport", undefined],
    ["", undefined],
  ])("%s is %s", (name, expected) => {
    expect(matchToolName(name, ["read", "todowrite", "webfetch", "server_tool"])).toBe(expected);
  });

  test("an ambiguous name matches nothing", () => {
    expect(matchToolName("A_B", ["ab", "a_b"])).toBeUndefined();
    expect(matchToolName("ab", ["ab", "a_b"])).toBe("ab");
  });
});

test("the schema of an MCP tool becomes an object schema, and the SDK runs no tool", async () => {
  const tools = await toSdkTools([
    { name: "x", description: "X.", input: { jsonSchema: { required: ["a"] } } },
    { name: "y", description: "Y.", input: z.object({ a: z.string() }) },
  ]);
  expect(await asSchema(tools["x"]?.inputSchema).jsonSchema).toEqual({
    type: "object",
    properties: {},
    required: ["a"],
  });
  expect(Object.values(tools).some((tool) => "execute" in tool && tool.execute)).toBe(false);
});
