import type { NewRule } from "@landline/client";

export const decisions = {
  allow: { name: "Allow", tone: "good" },
  ask: { name: "Ask", tone: "plain" },
  deny: { name: "Deny", tone: "bad" },
} as const;

/** The subjects of a rule that is made by hand. */
export const subjects = {
  commandPrefix: { name: "Commands that start with", example: "npm test" },
  onlyReads: { name: "Commands that only read files", example: "" },
  pathGlob: { name: "Files that match", example: "src/**/*.ts" },
  host: { name: "Fetches from", example: "example.com" },
  toolKind: { name: "Tools of the kind", example: "" },
  agent: { name: "Everything of the agent", example: "" },
} as const;

export type Subject = keyof typeof subjects;

export const toolKinds = [
  { value: "read", name: "Reading" },
  { value: "edit", name: "Editing" },
  { value: "delete", name: "Deleting" },
  { value: "move", name: "Moving" },
  { value: "search", name: "Searching" },
  { value: "execute", name: "Running commands" },
  { value: "fetch", name: "Fetching" },
  { value: "think", name: "Thinking" },
  { value: "other", name: "Other" },
] as const;

export interface RuleDraft {
  readonly decision: NewRule["decision"];
  readonly subject: Subject;
  readonly value: string;
  /** Empty for everywhere. */
  readonly folder: string;
}

/** The rule of a draft; null if something is missing. */
export function ruleOf({ decision, subject, value, folder }: RuleDraft): NewRule | null {
  const text = value.trim();
  if (text === "" && subject !== "onlyReads") return null;
  return {
    decision,
    what: subject === "onlyReads" ? { onlyReads: true } : { [subject]: text },
    where: folder === "" ? { in: "everywhere" } : { in: "project", folder },
  };
}
