import { z } from "zod";

export type ExternalToolInput = Record<string, unknown>;

/**
 * The input of an MCP or custom tool, defined by a JSON schema. `meta` shows the model that schema unchanged.
 */
export function externalToolInput(
  schema: Readonly<Record<string, unknown>>,
): z.ZodType<ExternalToolInput> {
  return z.looseObject({}).meta(shown(schema));
}

/** Also validates the input, if zod can convert the schema; otherwise any input is accepted. */
export function checkedExternalToolInput(
  schema: Readonly<Record<string, unknown>>,
): z.ZodType<ExternalToolInput> {
  const checker = readSchema(schema);
  if (checker === null) return externalToolInput(schema);
  return z
    .looseObject({})
    .superRefine((value, context) => {
      for (const issue of checker.safeParse(value).error?.issues ?? []) {
        context.addIssue({ code: "custom", path: [...issue.path], message: issue.message });
      }
    })
    .meta(shown(schema));
}

/** zod would register an `id` as a name that must be unique. */
function shown(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { id: _id, $id: _schemaId, ...rest } = schema;
  return { properties: {}, ...rest, type: "object" };
}

function readSchema(schema: Readonly<Record<string, unknown>>): z.ZodType | null {
  try {
    return z.fromJSONSchema({ ...schema });
  } catch {
    return null;
  }
}
