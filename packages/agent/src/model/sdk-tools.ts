import type { Schema, ToolSet } from "ai";
import type { OfferedTool } from "./stream.ts";

/** A tool's schema is the same in every step: it is turned into the model's form once. */
const schemas = new WeakMap<object, Schema>();

/** The tools in the AI SDK's form. None has an `execute`: the loop runs them. */
export async function offeredTools(tools: readonly OfferedTool[]): Promise<ToolSet> {
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

/** Providers refuse a tool whose schema is not an object's, which MCP servers do send. */
function objectSchema(schema: Record<string, unknown>): Record<string, unknown> {
  return { ...schema, type: "object", properties: schema["properties"] ?? {} };
}

/** The name that was meant: itself, or the one that differs in case and separators alone. */
export function toolNamed(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return name;
  const alike = names.filter((each) => plain(each) === plain(name));
  return alike.length === 1 ? alike[0] : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}
