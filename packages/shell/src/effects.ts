import type { CommandFacts, Effect } from "./line-facts.ts";

/** Whether a command only reads. The paths that it reads are checked separately. */
export function isReadOnly({ unknown, effects, role }: CommandFacts): boolean {
  return role === "run" && unknown === null && [...effects].every((effect) => effect === "read");
}

const programsWithoutEffect = new Set(["cd", "true", "false", ":", "[", "[[", "test"]);

/** Whether a command does nothing by itself. The folder that `cd` enters is checked separately. */
export function hasNoEffect(command: CommandFacts): boolean {
  const { words, assignments } = command;
  // `[ -v 'a[$(id)]' ]` runs a program; its facts have a reason in `unknown`.
  return (
    assignments.length === 0 && programsWithoutEffect.has(words[0] ?? "") && isReadOnly(command)
  );
}

/** What an effect means, as a clause. */
export const effectText: Readonly<Record<Effect, string>> = {
  read: "reads files",
  project: "runs code of the project",
  write: "changes files",
  delete: "deletes files",
  execute: "runs other programs",
  network: "uses the network",
  system: "changes this machine",
  environment: "shows environment variables",
};

/** "a, b and c". */
export function listText(words: readonly string[]): string {
  return words.length < 2
    ? words.join("")
    : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}
