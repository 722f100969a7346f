import { isObject } from "./json.ts";

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;
const onlyPlaceholder = /^\{\{\s*([\w.-]+)\s*\}\}$/;

export type Lookup = (name: string) => unknown;

/** Fills `{{name.field}}` everywhere in a JSON value, names of fields included. A string that is nothing else becomes the value itself. */
export function fill(value: unknown, lookup: Lookup): unknown {
  if (typeof value === "string") return fillText(value, lookup);
  if (Array.isArray(value)) return value.map((item) => fill(item, lookup));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        String(fillText(key, lookup)),
        fill(item, lookup),
      ]),
    );
  }
  return value;
}

function fillText(text: string, lookup: Lookup): unknown {
  if (!text.includes("{{")) return text;
  const whole = onlyPlaceholder.exec(text)?.[1];
  if (whole !== undefined) return find(whole, lookup);
  return text.replaceAll(placeholder, (_, name: string) => {
    const found = find(name, lookup);
    return typeof found === "string" ? found : JSON.stringify(found);
  });
}

function find(path: string, lookup: Lookup): unknown {
  const [name = "", ...fields] = path.split(".");
  let value = lookup(name);
  for (const field of fields) {
    value = isObject(value)
      ? value[field]
      : Array.isArray(value)
        ? value[Number(field)]
        : undefined;
  }
  if (value === undefined) throw new UnknownNameError(path);
  return value;
}

export class UnknownNameError extends Error {
  constructor(path: string) {
    super(
      `nothing is known under {{${path}}}; sessionId, cwd, options, prompt, turnId, requestId, params, client, pid and what earlier steps saved are`,
    );
  }
}
