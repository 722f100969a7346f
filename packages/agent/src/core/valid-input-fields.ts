import type { Tool } from "../tools/tool.ts";

/**
 * The fields of a call's input that fit the tool's schema. A model may have put anything into the others, and a view is
 * drawn before the input is checked.
 */
export function knownInput(tool: Tool, input: object): object {
  const { shape } = tool.input as { shape?: Readonly<Record<string, Tool["input"]>> };
  if (!shape) return input;
  const entries = Object.entries(input).filter(
    ([name, value]) => shape[name]?.safeParse(value).success,
  );
  return Object.fromEntries(entries);
}
