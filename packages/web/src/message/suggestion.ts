import type { FoundFile } from "@landline/client";
import { filledStringOf, type SessionView } from "@landline/protocol";
import type { Mention } from "./mention.ts";

/** One row of the suggestion list. */
export interface Suggestion {
  readonly key: string;
  readonly kind: "command" | "file" | "folder";
  readonly name: string;
  /** The input hint of a command. */
  readonly hint: string | null;
  readonly about: string | null;
  /** The text that is inserted. */
  readonly insert: string;
  /** Sent as a link with the message. */
  readonly mention: Mention | null;
}

type Command = SessionView["commands"][number];

const commandsShown = 100;

/** Prefix matches first, then substring matches, then matches in the description. */
export function commandSuggestions(
  commands: readonly Command[],
  query: string,
): readonly Suggestion[] {
  const wanted = query.toLowerCase();
  const ranked = commands.flatMap((command) => {
    const rank = rankOf(command, wanted);
    return rank === null ? [] : [{ command, rank }];
  });
  return ranked
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, commandsShown)
    .map(({ command }) => commandSuggestion(command));
}

function rankOf({ name, description }: Command, wanted: string): number | null {
  const at = name.toLowerCase().indexOf(wanted);
  if (at === 0) return 0;
  if (at > 0) return 1;
  return filledStringOf(description)?.toLowerCase().includes(wanted) === true ? 2 : null;
}

function commandSuggestion(command: Command): Suggestion {
  const name = command.name.replace(/^\//, "");
  return {
    key: `command-${command.name}`,
    kind: "command",
    name: `/${name}`,
    hint: hintOf(command),
    about: filledStringOf(command.description),
    insert: `/${name}`,
    mention: null,
  };
}

/** The input hint of a command. */
export function hintOf({ input }: Command): string | null {
  return typeof input === "object" && input !== null && "hint" in input
    ? filledStringOf(input.hint)
    : null;
}

/** The hint of the command in the text, while nothing follows it. */
export function hintAfter(text: string, commands: readonly Command[]): string | null {
  const written = /^\/(\S+) $/.exec(text)?.[1];
  if (written === undefined) return null;
  const command = commands.find(({ name }) => name.replace(/^\//, "") === written);
  return command ? hintOf(command) : null;
}

export function fileSuggestions(
  files: readonly FoundFile[],
  folder: string,
): readonly Suggestion[] {
  return files.map((file) => {
    const name = file.root === folder ? file.name : file.path;
    const cut = name.lastIndexOf("/");
    return {
      key: `file-${file.path}`,
      kind: file.kind,
      name: name.slice(cut + 1) + (file.kind === "folder" ? "/" : ""),
      hint: null,
      about: cut <= 0 ? null : name.slice(0, cut),
      insert: `@${name}`,
      mention: { name, path: file.path },
    };
  });
}
