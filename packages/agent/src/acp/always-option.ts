import { EXTERNAL_DIRECTORY, type PermissionRequest } from "../permission/rule.ts";

/** "Always" is offered only if it can cover every request of the question. */
export function canRemember(requests: readonly PermissionRequest[]): boolean {
  return requests.length > 0 && requests.every(({ always }) => always.length > 0);
}

/** Longer names do not fit on a button. */
const nameCharacters = 120;

/** What "always" would allow, for the name of an option. */
export function shortNames(requests: readonly PermissionRequest[]): string {
  const names = allNames(requests);
  return names.length <= nameCharacters ? names : "what is listed above";
}

/** What "always" would allow besides this call, as sentences; empty when the option's name says it. */
export function coverage(requests: readonly PermissionRequest[]): string {
  if (!canRemember(requests)) return "";
  const names = allNames(requests);
  const named = names.length > nameCharacters ? `“Always” allows ${names}.` : "";
  const also = [...new Set(requests.flatMap(({ alsoAllows }) => alsoAllows ?? []))].join(" and ");
  if (also === "") return named;
  const limits = "Unknown options and paths outside the project are still asked about.";
  return `${named} “Always” also allows ${also}. ${limits}`.trimStart();
}

function allNames(requests: readonly PermissionRequest[]): string {
  return [...new Set(requests.map(nameOf))].join(" and ");
}

function nameOf({ permission, always, alwaysAs }: PermissionRequest): string {
  if (alwaysAs?.permission === EXTERNAL_DIRECTORY) {
    const folders = always.map((pattern) => pattern.slice(0, -"/*".length) || "/").join(", ");
    const does = alwaysAs.access === "change" ? "changing files" : "reading";
    return `${does} in ${folders} and below`;
  }
  if (always.every((pattern) => pattern === "*")) return everything[permission] ?? permission;
  const isCommand = permission === "bash";
  return always.map((each) => (isCommand ? `“${each.replace(/ \*$/, " …")}”` : each)).join(", ");
}

/** What the pattern `*` covers, by permission. */
const everything: Record<string, string> = {
  edit: "edits",
  bash: "commands",
  webfetch: "fetches",
  read: "reading",
  task: "subagents",
  question: "questions",
};
