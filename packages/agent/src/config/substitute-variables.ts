import { resolve } from "node:path";
import { isRecord } from "@landline/system/json";
import { errorMessage } from "@landline/system/error-message";
import { type ConfigDocument, type Path } from "./config-document.ts";
import { expandPattern, realPathInside } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { credentialAt } from "../permission/protected-paths.ts";
import { readTextFile } from "./text-file.ts";
import { withholdKey, withholdVariable } from "../withheld-keys.ts";

/** Maximum size of a file in `{file:…}`. Larger ones are dropped with a problem. */
const referencedBytes = 256 * 1_024;

export interface SubstituteOptions {
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Set for an untrusted project: no environment variables, and no files outside of this folder. */
  confinedTo: string | null;
  problems: Problems;
}

const absent = Symbol("absent");

/**
 * Replaces `{env:NAME}` and `{file:PATH}` in every string. A string that cannot be replaced is dropped. A
 * value in the options of a provider may be its key, so it is kept out of the environment of programs.
 */
export async function substitute(
  document: ConfigDocument,
  options: SubstituteOptions,
): Promise<ConfigDocument> {
  const data = await fill(document.data, [], document, options);
  return { ...document, data: isRecord(data) ? data : {} };
}

async function fill(
  value: unknown,
  path: Path,
  document: ConfigDocument,
  options: SubstituteOptions,
): Promise<unknown> {
  if (typeof value === "string") return fillText(value, path, document, options);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const filled = await fill(item, [...path, index], document, options);
      if (filled !== absent) items.push(filled);
    }
    return items;
  }
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const content = await fill(item, [...path, key], document, options);
    if (content !== absent) filled[key] = content;
  }
  return filled;
}

async function fillText(
  text: string,
  path: Path,
  document: ConfigDocument,
  options: SubstituteOptions,
): Promise<string | typeof absent> {
  let filled = "";
  let end = 0;
  for (const match of text.matchAll(/\{(env|file):([^{}]+)\}/g)) {
    const [whole, kind, name = ""] = match;
    const found =
      kind === "env"
        ? lookUp(name.trim(), options)
        : await readReference(name.trim(), document, options);
    if ("problem" in found) {
      const where = { file: document.file, line: document.lineOf(path) };
      options.problems.add(where, `${found.problem} \`${path.join(".")}\` was left out.`);
      return absent;
    }
    if (path[0] === "provider") {
      if (kind === "env") withholdVariable(name.trim(), found.value);
      else withholdKey(found.value);
    }
    filled += text.slice(end, match.index) + found.value;
    end = match.index + whole.length;
  }
  return filled + text.slice(end);
}

type Found = { value: string } | { problem: string };

function lookUp(name: string, options: SubstituteOptions): Found {
  if (options.confinedTo !== null) {
    return { problem: `{env:${name}} is filled only in folders that you trust.` };
  }
  const value = options.environment[name];
  if (value === undefined) {
    return { problem: `The environment variable ${name} is not set: set it, or write the value.` };
  }
  return { value };
}

async function readReference(
  name: string,
  document: ConfigDocument,
  options: SubstituteOptions,
): Promise<Found> {
  const path = resolve(document.folder, expandPattern(name, options.home));
  const { confinedTo } = options;
  const real = confinedTo === null ? undefined : await realPathInside(confinedTo, path);
  if (real === null) {
    return { problem: `{file:${name}} is outside the project, or does not exist.` };
  }
  if (real !== undefined && credentialAt(path, real) !== null) {
    return {
      problem: `{file:${name}} may hold credentials: it is filled in folders that you trust.`,
    };
  }
  try {
    const file = await readTextFile(path, referencedBytes, real);
    if (file === null) return { problem: `{file:${name}}: there is no file ${path}.` };
    if (file.cut) {
      return { problem: `{file:${name}} is larger than ${referencedBytes} bytes.` };
    }
    return { value: file.text.trim() };
  } catch (error) {
    return { problem: `{file:${name}} can't be read (${errorMessage(error)}).` };
  }
}
