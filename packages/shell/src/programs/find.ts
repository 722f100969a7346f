import type { SearchScope } from "../line-facts.ts";
import type { Recorder } from "../arguments/recorder.ts";
import type { ProgramSpec } from "../arguments/program-spec.ts";
import { fixedWord, type Word } from "../parse/word.ts";
import { type Found, FindExpression } from "./find-expression.ts";
import { everything } from "./search-scope.ts";

/** The starting paths of find come before its expression. */
export const find: ProgramSpec = {
  read(words, record) {
    const { options, starts, expression } = partsOf(words);
    const folders = starts.length > 0 ? starts : [fixedWord(".")];
    const follows =
      options.some(({ text }) => text === "-L") || words.some(({ text }) => text === "-follow");
    for (const folder of folders) {
      if (follows) record.path(folder, "search", { ...everything, links: true, namesOnly: true });
      else record.path(folder, "name");
    }
    const reader = new FindExpression(expression, folders, {
      write: (word) => record.path(word, "write"),
      name: (word) => record.path(word, "name"),
      delete: () => deletes(folders, record),
      run: (command, found, { isElsewhere, isMany }) => {
        const isFile = command[0]?.text.includes("{}") ?? false;
        // In another folder, the same names may be other files and programs.
        if (isElsewhere || isFile) record.effect("execute");
        if (isFile) record.fail("it runs the files that it finds");
        const below = { folders, scope: scopeOf(found, follows) };
        record.commands.push(withFound(command, below, { isMany }));
      },
      fail: (reason) => record.fail(reason),
    });
    reader.read();
  },
};

function deletes(folders: readonly Word[], record: Recorder): void {
  for (const folder of folders) record.path(folder, "delete");
  record.fail("which files it deletes is not known before it runs");
}

const isOption = ({ text, known }: Word): boolean =>
  known === "fixed" && /^-(?:[HLPE]|O\d)$/.test(text);

function partsOf(words: readonly Word[]): { options: Word[]; starts: Word[]; expression: Word[] } {
  const options = words.slice(0, lengthWhile(words, isOption));
  const rest = words.slice(options.length);
  const starts = rest.slice(
    0,
    lengthWhile(rest, ({ text }) => !/^(?:-.*|[()!,])$/s.test(text)),
  );
  return { options, starts, expression: rest.slice(starts.length) };
}

function lengthWhile(words: readonly Word[], test: (word: Word) => boolean): number {
  const end = words.findIndex((word) => !test(word));
  return end === -1 ? words.length : end;
}

function scopeOf({ names, isFile, without }: Found, follows: boolean): SearchScope {
  return {
    ...everything,
    links: follows || !isFile,
    includes: names ?? [],
    excludedFolders: without,
  };
}

/** The command with a placeholder for the found files in place of `{}`. `isMany`: all files in one call. */
export function withFound(
  command: readonly Word[],
  below: NonNullable<Word["below"]>,
  { isMany, placeholder = /\{\}/ }: { readonly isMany: boolean; readonly placeholder?: RegExp },
): Word[] {
  return command.map((word) => {
    if (word.text === "{}")
      return { ...word, known: "names", isTilde: false, below, ...(isMany && { isMany }) };
    return placeholder.test(word.text) ? { ...word, known: "open" } : word;
  });
}
