import type { Schema, ToolSet } from "ai";
import type { OfferedTool } from "./stream.ts";

/** A tool's schema is converted once and reused in every step. */
const schemas = new WeakMap<object, Schema>();

/** Converts tools for the AI SDK, without `execute`: the loop runs them. */
export async function toSdkTools(tools: readonly OfferedTool[]): Promise<ToolSet> {
  const { jsonSchema, tool, zodSchema } = await import("ai");
  const schemaOf = ({ input }: OfferedTool): Schema =>
    "jsonSchema" in input ? jsonSchema(objectSchema(input.jsonSchema)) : zodSchema(input);
  return Object.fromEntries(
    tools.map((offered) => {
      const schema = schemas.get(offered.input) ?? schemaOf(offered);
      schemas.set(offered.input, schema);
      return [offered.name, tool({ description: offered.description, inputSchema: schema })];
    }),
  );
}

/** Providers refuse a schema that is not an object, which MCP servers do send. */
function objectSchema(schema: Record<string, unknown>): Record<string, unknown> {
  return { ...schema, type: "object", properties: schema["properties"] ?? {} };
}

/** The matching name: exact, or the only one that differs just in case and separators. */
export function matchToolName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  const alike = names.filter((each) => plain(each) === plain(name));
  return alike.length === 1 ? alike[0] : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
