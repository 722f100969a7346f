import type { Tool } from "../tools/tool.ts";

/**
 * The fields of a call's input that match the tool's schema. The view is created before the input is
 * validated, and a model may send anything.
 */
export function validFields(tool: Tool, input: object): object {
  const { shape } = tool.input as { shape?: Readonly<Record<string, Tool["input"]>> };
  if (!shape) return input;
  const entries = Object.entries(input).filter(
    ([name, value]) => shape[name]?.safeParse(value).success,
  );
  return Object.fromEntries(entries);
}
