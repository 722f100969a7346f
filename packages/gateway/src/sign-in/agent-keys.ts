import type { AgentKey } from "@landline/protocol";

/** Where an agent of its own accord says which keys it has: in the `_meta` of what it answers. */
const FIELD = "landline/keys";

/** Those that fit into the length; null when it says nothing of the kind. */
export function keysIn(meta: unknown, mostLength: number): readonly AgentKey[] | null {
  const said = fieldOf(meta, FIELD);
  if (!Array.isArray(said)) return null;
  const keys: AgentKey[] = [];
  let length = 0;
  for (const one of said as readonly unknown[]) {
    const name = fieldOf(one, "name");
    const variable = fieldOf(one, "variable") ?? null;
    if (typeof name !== "string" || name === "") continue;
    if (variable !== null && typeof variable !== "string") continue;
    const key: AgentKey = { name, variable };
    length += JSON.stringify(key).length;
    if (length > mostLength) break;
    keys.push(key);
  }
  return keys;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
