import type { AgentKey } from "@landline/protocol";

/** The `_meta` field in which an agent lists its keys. */
const FIELD = "landline/keys";

/** Returns the keys that fit into `mostLength`, or null if the agent lists none. */
export function keysIn(meta: unknown, mostLength: number): readonly AgentKey[] | null {
  const listed = fieldOf(meta, FIELD);
  if (!Array.isArray(listed)) return null;
  const keys: AgentKey[] = [];
  let length = 0;
  for (const one of listed as readonly unknown[]) {
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
