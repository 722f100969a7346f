import { isAbsolute, join, resolve } from "node:path";
import { judgeCommand } from "./command-use.ts";
import { plainWords } from "./command-prefix.ts";
import { isInside } from "./rule-match.ts";
import type { NewRule, RulePlace } from "./rule.ts";
import { openShell } from "./shell-analysis.ts";

/** Why everything that a rule matches needs a person's answer each time, as a clause; null if some of it does not. */
export async function neverAllowed(rule: Omit<NewRule, "by">): Promise<string | null> {
  const { commandPrefix, pathGlob } = rule.what;
  if (commandPrefix !== undefined) return ofCommand(commandPrefix, rule.where);
  return pathGlob === undefined ? null : ofGlob(pathGlob, rule);
}

/** A placeholder for an unknown project. */
const anyProject = "/project";

async function ofCommand(commandPrefix: string, where: RulePlace): Promise<string | null> {
  const shell = await openShell();
  const folder = where.in === "project" ? where.folder : anyProject;
  const words = plainWords(commandPrefix) ?? [];
  const { protections, paths } = await judgeCommand(words, { folder, roots: [folder] }, shell);
  const [protection] = protections;
  if (protection !== undefined) return protection.replace(`${anyProject}/`, "");
  // Only for a rule of one project are the folders of the session known.
  if (where.in !== "project") return null;
  const outside = paths.find(({ real }) => !isInside(real, folder));
  return outside === undefined ? null : `${outside.named} is outside the project`;
}

/** Samples for a star: all of them must be protected. */
const samples = ["", "a", "a.ts", ".example", ".sample.json"] as const;

async function ofGlob(glob: string, { what, where }: Omit<NewRule, "by">): Promise<string | null> {
  const { protectionReason } = await openShell();
  const folder = where.in === "project" ? where.folder : anyProject;
  const paths = samples.map((sample) => {
    const path = glob
      .replaceAll("**", sample || "a")
      .replaceAll("*", sample)
      .replaceAll("?", "a");
    return isAbsolute(path) ? resolve(path) : join(folder, path);
  });
  const isRead = !["edit", "delete", "move"].includes(what.toolKind ?? "");
  const reasons = paths.map((path) =>
    protectionReason([path], isRead ? "read" : "write", `“${glob}”`),
  );
  const [first] = reasons;
  if (first && reasons.every((reason) => reason !== null)) return first.message;
  const isOutside = where.in === "project" && !paths.some((path) => isInside(path, folder));
  return isOutside ? `“${glob}” is outside the project` : null;
}
