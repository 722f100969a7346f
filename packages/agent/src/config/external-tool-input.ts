import { z } from "zod";

export type ForeignInput = Record<string, unknown>;

/**
 * The input of a tool that comes from elsewhere with a JSON schema. It is shown to the model as its author
 * wrote it (`meta` stands in for what zod would say).
 */
export function foreignInput(schema: Readonly<Record<string, unknown>>): z.ZodType<ForeignInput> {
  return z.looseObject({}).meta(shown(schema));
}

/** The same, and checked as far as zod can: a schema that it can't read refuses nothing. */
export function checkedForeignInput(
  schema: Readonly<Record<string, unknown>>,
): z.ZodType<ForeignInput> {
  const checker = readSchema(schema);
  if (checker === null) return foreignInput(schema);
  return z
    .looseObject({})
    .superRefine((value, context) => {
      for (const issue of checker.safeParse(value).error?.issues ?? []) {
        context.addIssue({ code: "custom", path: [...issue.path], message: issue.message });
      }
    })
    .meta(shown(schema));
}

/** An `id` would be taken for a name in zod's registry, which must be unique. */
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
