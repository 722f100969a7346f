import { isRecord } from "@landline/system/json";
import type { z } from "zod";
import { type ConfigDocument, type Path } from "./config-document.ts";
import type { Problems } from "./config-problems.ts";
import { schemas, type Settings } from "./schema.ts";

/** Maximum entries of one key of a file. Further ones are dropped with a problem. */
const entriesPerKey = 500;
/** Maximum problems reported for one entry. */
const problemsPerEntry = 5;

/** Accepted spellings of keys. */
const spellings: Readonly<Record<string, string>> = {
  smallModel: "small_model",
  localProviders: "local_providers",
  defaultAgent: "default_agent",
  permissionLevel: "permission_level",
  subagentDepth: "subagent_depth",
  mode: "agent",
};

/** Known keys of other tools that are ignored without a problem. */
const silentKeys = new Set(["$schema", "lsp"]);

/** Returns the valid settings of the document. Invalid ones are dropped with a problem. */
export function validateDocument(document: ConfigDocument, problems: Problems): Settings {
  const settings: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(document.data)) {
    const key = spellings[written] ?? written;
    const entrySchema = schemas.entries[key];
    const wholeSchema = schemas.whole[key];
    if (entrySchema !== undefined) {
      settings[key] = {
        ...(settings[key] as object | undefined),
        ...checkEntries(document, written, value, entrySchema, problems),
      };
    } else if (wholeSchema !== undefined) {
      const checked = check(document, [written], value, wholeSchema, problems);
      if (checked !== undefined) settings[key] = checked;
    } else if (document.dialect === "landline" && !silentKeys.has(written)) {
      problems.add(locationOf(document, [written]), unknownKey(written));
    }
  }
  return settings;
}

function checkEntries(
  document: ConfigDocument,
  key: string,
  value: unknown,
  schema: z.ZodType,
  problems: Problems,
): Record<string, unknown> {
  if (value === false) return {};
  if (!isRecord(value)) {
    problems.add(locationOf(document, [key]), `\`${key}\` must be an object. It was left out.`);
    return {};
  }
  const entries: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    if (Object.keys(entries).length >= entriesPerKey) {
      const most = `\`${key}\` has more than ${entriesPerKey} entries. The rest was left out.`;
      problems.add(locationOf(document, [key]), most);
      break;
    }
    const checked = check(document, [key, name], entry, schema, problems);
    if (checked !== undefined) entries[name] = checked;
  }
  return entries;
}

function check(
  document: ConfigDocument,
  path: Path,
  value: unknown,
  schema: z.ZodType,
  problems: Problems,
): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues.slice(0, problemsPerEntry)) {
    const at = [
      ...path,
      ...issue.path.map((part) => (typeof part === "number" ? part : String(part))),
    ];
    const what = `\`${at.join(".")}\`: ${issue.message}. \`${path.join(".")}\` was left out.`;
    problems.add(locationOf(document, at), what);
  }
  return undefined;
}

/** The line of the value, or of the nearest value around it. */
function locationOf(
  document: ConfigDocument,
  path: Path,
): { file: string; line: number | undefined } {
  for (let length = path.length; length > 0; length -= 1) {
    const line = document.lineOf(path.slice(0, length));
    if (line !== undefined) return { file: document.file, line };
  }
  return { file: document.file, line: undefined };
}

function unknownKey(key: string): string {
  const known = [...Object.keys(schemas.whole), ...Object.keys(schemas.entries)];
  return `the key \`${key}\` is not known. Remove it, or use one of: ${known.sort().join(", ")}.`;
}
