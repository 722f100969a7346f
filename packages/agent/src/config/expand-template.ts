import { assignArguments } from "./command-arguments.ts";

/** Maximum shell lines of one command. More are refused. */
const shellLinesMax = 16;
/** Maximum files of one command. More are refused. */
const filesMax = 32;
/** Maximum characters that one shell line or file adds. The rest is cut, with a note. */
const insertedCharacters = 50_000;

export interface ExpandOptions {
  /**
   * Runs a shell line, after any permission request, and returns its output. A failure ends the expansion.
   */
  run(line: string): Promise<string>;
  /** The text of a file; null when there is none, and `@name` is left unchanged. */
  read(path: string): Promise<string | null>;
}

export class CommandProblem extends Error {
  override readonly name = "CommandProblem";
}

/** Expands a template in one pass: arguments, command output and file contents are not expanded again. */
export async function expandTemplate(
  template: string,
  argumentsText: string,
  options: ExpandOptions,
): Promise<string> {
  const fill = argumentFiller(template, argumentsText.trim());
  const files = new Map<string, string>();
  let shellLines = 0;
  let text = "";
  for (const part of splitTemplate(template)) {
    if (part.kind === "text") {
      text += fill(part.text);
    } else if (part.kind === "shell") {
      shellLines += 1;
      if (shellLines > shellLinesMax) {
        throw new CommandProblem(`The command runs more than ${shellLinesMax} shell lines.`);
      }
      text += cut((await options.run(fill(part.text))).trimEnd());
    } else {
      const path = fill(part.text);
      text += `@${path}`;
      await bring(path, files, options);
    }
  }
  const brought = [...files].map(
    ([path, content]) => `<file path="${path}">\n${cut(content)}\n</file>`,
  );
  // Arguments are appended to a template without placeholders.
  const rest = placeholders(template).length === 0 ? argumentsText.trim() : "";
  return [text.trim(), rest, ...brought].filter((block) => block !== "").join("\n\n");
}

async function bring(path: string, files: Map<string, string>, options: ExpandOptions) {
  if (path === "" || files.has(path)) return;
  const content = await options.read(path);
  if (content === null) return;
  if (files.size >= filesMax) {
    throw new CommandProblem(`The command brings more than ${filesMax} files.`);
  }
  files.set(path, content);
}

/** `$ARGUMENTS` is the whole text; `$1`, `$2` … are words, and the highest number takes the rest. */
function argumentFiller(template: string, argumentsText: string): (text: string) => string {
  const highest = Math.max(0, ...placeholders(template).map(Number));
  const values = assignArguments(argumentsText, Math.min(highest, 99));
  return (text) =>
    text.replaceAll(placeholder, (_whole, number?: string) =>
      number === undefined ? argumentsText : (values[Number(number) - 1] ?? ""),
    );
}

const placeholder = /\$(?:ARGUMENTS|([1-9]\d?)(?!\d))/g;

function placeholders(template: string): string[] {
  return [...template.matchAll(placeholder)].map((match) => match[1] ?? "0");
}

/**
 * What the expansion of a template would do: run shell lines, read files outside the project. As sentences
 * for the user.
 */
export function wantsOfTemplate(template: string, name: string): string[] {
  return splitTemplate(template).flatMap(({ kind, text }) => {
    if (kind === "shell") return [`runs \`${text}\` in its command /${name}`];
    const leaves = kind === "file" && /^[/~]|^\.\.|\/\.\.(?:\/|$)/.test(text);
    return leaves ? [`reads ${text} in its command /${name}`] : [];
  });
}

type Part = { kind: "text" | "shell" | "file"; text: string };

/** `@` counts only at the start of a word, so that email addresses are left unchanged. */
function splitTemplate(template: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(
    /!`([^`\n]+)`|(?<![\w`@])@((?:~\/|\.{0,2}\/)?[\w$.][^\s`,;:!?"'()<>]*)/g,
  )) {
    const [whole, line, path = ""] = match;
    // A trailing full stop is not part of the path.
    const name = path.replace(/\.+$/, "");
    parts.push({ kind: "text", text: template.slice(end, match.index) });
    parts.push(line === undefined ? { kind: "file", text: name } : { kind: "shell", text: line });
    end = match.index + whole.length - (path.length - name.length);
  }
  parts.push({ kind: "text", text: template.slice(end) });
  return parts;
}

function cut(text: string): string {
  if (text.length <= insertedCharacters) return text;
  return `${text.slice(0, insertedCharacters)}\n[… cut after ${insertedCharacters} characters]`;
}
