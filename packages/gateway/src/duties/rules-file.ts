import { open, rename } from "node:fs/promises";
import { LandlineError } from "@landline/protocol";
import type { Rule } from "./rule.ts";

const VERSION = 1;

/** Why a file of rules could not be used, and where it is now. Nothing of it is lost. */
export interface RulesDamage {
  readonly path: string;
  readonly movedTo: string;
  readonly reason: string;
}

interface ReadOptions {
  readonly mostBytes: number;
  readonly mostRules: number;
  readonly report: (damage: RulesDamage) => void;
}

/**
 * The rules of a file; none when there is no file. One that can't be understood is moved aside and reported:
 * without its rules everything is asked, so that nothing is allowed by mistake. One of a newer version throws.
 */
export async function readRulesFile(path: string, options: ReadOptions): Promise<readonly Rule[]> {
  const file = await readBounded(path, options.mostBytes);
  if (file === null) return [];
  const { reason, rules } = await understood(file.text, path, options.mostRules);
  if (rules !== null) return rules;
  const movedTo = `${path}.damaged-${crypto.randomUUID()}`;
  await rename(path, movedTo).catch((error: unknown) => {
    throw unusable(path, "is damaged and could not be moved aside", error);
  });
  options.report({ path, movedTo, reason });
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
  if (text === null) return damaged("it is larger than it may be");
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return damaged("it is not JSON");
  }
  if (typeof content !== "object" || content === null) return damaged("it holds no object");
  const { version, rules } = content as { version?: unknown; rules?: unknown };
  if (typeof version === "number" && version > VERSION)
    throw new LandlineError("rules-newer", {
      message: `The file of rules ${path} was written by a newer Landline.`,
      data: { path },
    });
  if (version !== VERSION) return damaged("it has no version that is known");
  if (!Array.isArray(rules) || rules.length > mostRules)
    return damaged("it holds no list of rules, or too many");
  const { readRules } = await import("./rule-schema.ts");
  try {
    return { rules: readRules(rules), reason: "" };
  } catch {
    return damaged("a rule in it is not what a rule should be");
  }
}

/** Null when there is no file; its text is null when it is too large. */
async function readBounded(
  path: string,
  mostBytes: number,
): Promise<{ text: string | null } | null> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    return { text: size > mostBytes ? null : await file.readFile("utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw unusable(path, "can't be read", error);
  }
}

/** Replaces the file as a whole, so that a crash leaves the old rules or the new ones. */
export async function writeRulesFile(path: string, rules: readonly Rule[]): Promise<void> {
  const { default: writeFileAtomic } = await import("write-file-atomic");
  const text = `${JSON.stringify({ version: VERSION, rules }, null, 2)}\n`;
  try {
    await writeFileAtomic(path, text, { mode: 0o600 });
  } catch (error) {
    throw unusable(path, "can't be written", error);
  }
}

function unusable(path: string, because: string, cause: unknown): LandlineError {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return new LandlineError(isFull ? "disk-full" : "folder-unusable", {
    message: `The file of rules ${path} ${because} (${code}).`,
    help: "Check that the file and its folder belong to you and can be written to.",
    data: { path },
    cause,
  });
}
