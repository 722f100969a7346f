import type { Effect, PathUse, SearchScope, Use } from "../line-facts.ts";
import { fixedWord, type Word } from "../parse/word.ts";

const effectOf: Readonly<Record<Use, Effect | null>> = {
  name: null,
  read: "read",
  search: "read",
  load: "read",
  enter: null,
  may: null,
  write: "write",
  delete: "delete",
};

/** Collects the facts of one command while its words are parsed. */
export class Recorder {
  readonly effects = new Set<Effect>();
  readonly paths: PathUse[] = [];
  readonly hosts: string[] = [];
  readonly verbs: string[] = [];
  /** The commands that it runs, as words. */
  readonly commands: (readonly Word[])[] = [];
  /** The lines that it passes to a shell. */
  readonly scripts: string[] = [];
  unknown: string | null = null;
  deviation: string | null = null;
  isWidenable: boolean | null = null;
  /** Whether it only changes how another command runs. */
  isTransparent = false;
  /** Whether there are assignments before or after the name of the program. */
  isAssigning = false;

  effect(effect: Effect): void {
    this.effects.add(effect);
  }

  path(word: Word, use: Use, search?: SearchScope): void {
    // `-` is standard input or output.
    if (word.text === "-" && use !== "enter") return;
    const effect = effectOf[use];
    if (effect) this.effects.add(effect);
    // Settings can name code: NODE_OPTIONS in a file of variables, libraries in a php.ini.
    if (use === "load") this.effects.add("project");
    if (word.isPipe && (use === "read" || use === "search" || use === "name")) return;
    if (word.known === "open" || word.hidesTilde)
      return this.fail(`the path ${word.text} is not known before it runs`);
    if (word.below) return this.#below(word, word.below, use);
    this.paths.push({ word, use, ...(search && { search }) });
    if (use === "enter" || use === "load") this.deviate(`it uses ${word.text}`);
  }

  /** Records a placeholder for files below these folders. */
  #below(word: Word, { folders, scope }: NonNullable<Word["below"]>, use: Use): void {
    if (use !== "name" && use !== "read" && use !== "search")
      this.fail(`the files for ${word.text} are not known before it runs`);
    // A folder among them is searched as a whole.
    const whole = { ...scope, includes: [], excludes: [], excludedFolders: [] };
    const found = use === "search" && scope.links ? whole : scope;
    for (const folder of folders)
      this.path(folder, "search", use === "name" ? { ...found, namesOnly: true } : found);
  }

  impliedPath(text: string, use: Use, search?: SearchScope): void {
    this.path(fixedWord(text), use, search);
  }

  /** Marks the command as unknown. The first reason is kept. */
  fail(reason: string): void {
    this.unknown ??= reason;
  }

  /** Excludes the command from rules for its action. The first reason is kept. */
  deviate(reason: string): void {
    this.deviation ??= reason;
  }

  host(word: Word): void {
    this.effects.add("network");
    const host = word.known === "fixed" ? hostIn(word.text) : null;
    if (host === null) this.deviate(`the host in ${word.text} is not known`);
    else this.hosts.push(host);
  }
}

/** The host of a URL, an scp-like address or a bare name. */
export function hostIn(text: string): string | null {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? URL.parse(text) : null;
  if (url) return url.host === "" ? null : url.host.toLowerCase().replace(/\.(?=$|:\d+$)/, "");
  const remote = /^(?:[^\s/@:]+@)?([a-z\d][a-z\d.-]*)(?::.*)?$/i.exec(text);
  return remote?.[1]?.toLowerCase() ?? null;
}
