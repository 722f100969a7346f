import { open, rename } from "node:fs/promises";
import { hasErrorCode, isDiskFull } from "@landline/system/error-code";
import { LandlineError, type RulesDamage } from "@landline/protocol";
import { replacePrivateFile } from "@landline/system/replace-file";
import type { Rule } from "./rule.ts";

const VERSION = 1;

interface ReadOptions {
  readonly mostBytes: number;
  readonly mostRules: number;
  /** Records the damage durably. Called before the file is moved aside, so that a crash cannot lose the note. */
  readonly noteDamage: (damage: RulesDamage) => Promise<void>;
}

/**
 * Reads the rules of a file; none if there is no file. An invalid file is recorded as damaged and moved aside. Throws
 * for a file of a newer version.
 */
export async function readRulesFile(path: string, options: ReadOptions): Promise<readonly Rule[]> {
  const file = await readBounded(path, options.mostBytes);
  if (file === null) return [];
  const { reason, rules } = await understood(file.text, path, options.mostRules);
  if (rules !== null) return rules;
  const movedTo = `${path}.damaged-${crypto.randomUUID()}`;
  await options.noteDamage({ movedTo, reason, at: Date.now() });
  await rename(path, movedTo).catch((error: unknown) => {
    throw unusable(path, "is damaged and could not be moved aside", error);
  });
  return [];
}

type Understood =
  | { readonly rules: readonly Rule[]; readonly reason: "" }
  | { readonly rules: null; readonly reason: string };

const damaged = (reason: string): Understood => ({ rules: null, reason });

async function understood(
  text: string | null,
  path: string,
  mostRules: number,
): Promise<Understood> {
  if (text === null) return damaged("it is too large");
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return damaged("it is not JSON");
  }
  if (typeof content !== "object" || content === null) return damaged("it is not a JSON object");
  const { version, rules } = content as { version?: unknown; rules?: unknown };
  if (typeof version === "number" && version > VERSION)
    throw new LandlineError("rules-newer", {
      message: `The rules file ${path} was written by a newer Landline.`,
      data: { path },
    });
  if (version !== VERSION) return damaged("its version is unknown");
  if (!Array.isArray(rules) || rules.length > mostRules)
    return damaged("it has no list of rules, or too many rules");
  const { readRules } = await import("./rule-schema.ts");
  try {
    return { rules: readRules(rules), reason: "" };
  } catch {
    return damaged("it contains an invalid rule");
  }
}

/** Null if there is no file. Its text is null if it is too large. */
export async function readBounded(
  path: string,
  mostBytes: number,
): Promise<{ text: string | null } | null> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    return { text: size > mostBytes ? null : await file.readFile("utf8") };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw unusable(path, "can't be read", error);
  }
}

export function writeRulesFile(path: string, rules: readonly Rule[]): Promise<void> {
  return writeWhole(path, { version: VERSION, rules });
}

/** Replaces the file atomically, so that a crash leaves the old or the new content. */
export async function writeWhole(path: string, content: object): Promise<void> {
  const text = `${JSON.stringify(content, null, 2)}\n`;
  try {
    await replacePrivateFile(path, text);
  } catch (error) {
    throw unusable(path, "can't be written", error);
  }
}

export function unusable(path: string, because: string, cause: unknown): LandlineError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
  return new LandlineError(isDiskFull(cause) ? "disk-full" : "folder-unusable", {
    message: `The rules file ${path} ${because} (${code}).`,
    help: "Check that the file and its folder belong to you and can be written to.",
    data: { path },
    cause,
  });
}
