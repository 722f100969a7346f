import type { ToolCallItem } from "@landline/protocol";
import { fileName, shownPath } from "./paths.ts";
import type { ToolSubject } from "./tool-subject.ts";

/** The text of a row: the action, and its object in monospace. */
export interface ToolRowText {
  readonly title: string;
  readonly target: string | null;
}

const verbs: Readonly<Record<string, string>> = {
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Search",
  execute: "Run",
  fetch: "Fetch",
  think: "Think",
  switch_mode: "Switch mode",
};

/** Tool names that say no more than the kind. */
const plainNames =
  /^(?:bash|shell|sh|exec|execute|exec_command|run_command|run_shell_command|execute_command|terminal|write|write_file|write_to_file|edit|edit_file|replace_in_file|multiedit|apply_patch|read|read_file|list|grep|glob|search|fetch|webfetch|websearch|preparing)$/iu;

const TARGET_LENGTH = 300;

/** Removes the object from the title, where each agent repeats it in its own way. */
export function toolRowText(
  item: Pick<ToolCallItem, "title" | "name" | "kind">,
  subject: ToolSubject,
  cwd: string,
): ToolRowText {
  const title = oneLine(item.title);
  const { target, spellings } = targetOf(subject, cwd);
  if (target === null) return { title: title || item.name || verbOf(item.kind), target: null };
  if (title === "" || plainNames.test(title)) return { title: verbOf(item.kind, title), target };
  for (const spelling of spellings) {
    const rest = withoutEnd(title, oneLine(spelling));
    if (rest !== null) return { title: rest === "" ? verbOf(item.kind) : rest, target };
  }
  const isSaid = spellings.some((spelling) => title.includes(oneLine(spelling)));
  return { title, target: isSaid ? null : target };
}

function verbOf(kind: string, name = ""): string {
  if (/^write/iu.test(name)) return "Write";
  return verbs[kind] ?? (name === "" ? "Tool" : name);
}

function targetOf(
  subject: ToolSubject,
  cwd: string,
): { readonly target: string | null; readonly spellings: readonly string[] } {
  switch (subject.type) {
    case "command": {
      if (typeof subject.line !== "string") return { target: "a long command", spellings: [] };
      const target = oneLine(subject.line);
      // Some titles contain the command without its quotes.
      return { target, spellings: [target, target.replaceAll(/['"]/gu, "")] };
    }
    case "files": {
      const [file] = subject.files;
      if (file === undefined) return { target: null, spellings: [] };
      const shown = shownPath(file.path, cwd);
      const more = subject.files.length - 1;
      return {
        target: more === 0 ? shown : `${shown} and ${more} more`,
        spellings: [file.path, shown, fileName(file.path)],
      };
    }
    case "address":
      return { target: subject.url, spellings: [subject.url] };
    case "query":
      return { target: oneLine(subject.text), spellings: [subject.text] };
    default:
      return { target: null, spellings: [] };
  }
}

/** "Read notes.md" without "notes.md", quoted or not; null if it does not end so. */
function withoutEnd(title: string, end: string): string | null {
  const bare = title.replace(/[`'"]+$/u, "");
  if (end === "" || !bare.endsWith(end)) return null;
  const rest = bare.slice(0, -end.length).replace(/[`'"(]+$/u, "");
  if (rest !== "" && !/[\s:]$/u.test(rest)) return null;
  return rest.trim().replace(/:$/u, "");
}

function oneLine(text: string): string {
  const start = text
    .slice(0, TARGET_LENGTH * 4)
    .replace(/\s+/gu, " ")
    .trim();
  return start.length > TARGET_LENGTH ? `${start.slice(0, TARGET_LENGTH - 1)}…` : start;
}
