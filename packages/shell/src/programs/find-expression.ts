import type { Word } from "../parse/word.ts";

/** The files for which a part of an expression is true, or is evaluated. */
export interface Found {
  /** Their names match one of these globs; null: any name. */
  readonly names: readonly string[] | null;
  /** Whether they are regular files, not links. */
  readonly isFile: boolean;
  /** None is below a folder of these names; `./name` is directly below the starting folder. */
  readonly without: readonly string[];
}

interface Result extends Found {
  /** It is true for exactly the folders of these names, and possibly for files; null if not known. */
  readonly folders: readonly string[] | null;
  /** Folders that it prunes. */
  readonly pruned: readonly string[];
}

/** Callbacks for the actions of an expression. */
export interface FindActions {
  write(file: Word): void;
  name(file: Word): void;
  delete(): void;
  /** `isMany`: one call gets all files that fit. */
  run(
    command: readonly Word[],
    found: Found,
    how: { readonly isElsewhere: boolean; readonly isMany: boolean },
  ): void;
  fail(reason: string): void;
}

const anything: Result = { names: null, isFile: false, without: [], folders: null, pruned: [] };

const wordSet = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const tests = wordSet(
  "-empty -executable -readable -writable -false -true -nogroup -nouser -noleaf -xdev -mount -depth -d -daystart " +
    "-ignore_readdir_race -noignore_readdir_race -warn -nowarn -follow -print -print0 -ls -prune -quit -help --help " +
    "-version --version",
);

const testsWithText = wordSet(
  "-amin -atime -cmin -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname " +
    "-maxdepth -mindepth -mmin -mtime -name -path -perm -regex -regextype -size -type -uid -used -user -wholename -xtype " +
    "-printf",
);

const testsWithFile = wordSet("-anewer -cnewer -newer -samefile");
const writers = wordSet("-fprint -fprint0 -fls");
const runners = wordSet("-exec -ok -execdir -okdir");

/** The nesting depth of brackets and negations. */
const depthMax = 100;

/** Parses the expression of find: its actions, and the files that its commands receive. */
export class FindExpression {
  readonly #words: readonly Word[];
  readonly #actions: FindActions;
  readonly #isHere: boolean;
  readonly #prunes: boolean;
  #at = 0;
  #depth = 0;
  #problem: string | null = null;

  constructor(words: readonly Word[], starts: readonly Word[], actions: FindActions) {
    this.#words = words;
    this.#actions = actions;
    this.#isHere = starts.every(({ text, isFolder }) => text === "." && !isFolder);
    // `-prune` has no effect if folders come after their contents, and is not evaluated above `-mindepth`.
    this.#prunes = !words.some(({ text }) => /^-(?:depth|d|delete|mindepth)$/.test(text));
  }

  read(): void {
    while (this.#at < this.#words.length && this.#problem === null) {
      this.#list(anything);
      const word = this.#words[this.#at];
      if (word && this.#problem === null) this.#fail(`the argument ${word.text} is not known`);
    }
    if (this.#problem !== null) this.#actions.fail(this.#problem);
  }

  #fail(problem: string): Result {
    this.#problem ??= problem;
    this.#at = this.#words.length;
    return anything;
  }

  #takes(...texts: readonly string[]): boolean {
    const word = this.#words[this.#at];
    if (!word || word.known !== "fixed" || !texts.includes(word.text)) return false;
    this.#at += 1;
    return true;
  }

  #list(context: Found): Result {
    const first = this.#or(context);
    if (!this.#takes(",")) return first;
    do this.#or(context);
    while (this.#takes(","));
    return anything;
  }

  #or(context: Found): Result {
    let result = this.#and(context);
    const pruned = [...result.pruned];
    while (this.#takes("-o", "-or")) {
      const next = this.#and({ ...context, without: [...context.without, ...pruned] });
      pruned.push(...next.pruned);
      result = either(result, next);
    }
    return { ...result, pruned };
  }

  #and(context: Found): Result {
    let result: Result = { ...anything, folders: [] };
    let isFirst = true;
    while (this.#at < this.#words.length) {
      if (["-o", "-or", ",", ")"].includes(this.#words[this.#at]?.text ?? "")) break;
      if (!isFirst) this.#takes("-a", "-and");
      const isPrune = this.#words[this.#at]?.text === "-prune";
      const isPrint = /^-print0?$/.test(this.#words[this.#at]?.text ?? "");
      const { folders, pruned } = result;
      result = both(result, this.#term(both({ ...anything, ...context }, result)), isFirst);
      // A test after `-prune` could undo it.
      if (isPrune && this.#prunes) result = { ...result, pruned: folders ?? [] };
      else result = { ...result, pruned: isPrint ? pruned : [] };
      isFirst = false;
    }
    if (isFirst) return this.#fail("its expression is not complete");
    return result;
  }

  #term(context: Found): Result {
    if (this.#depth >= depthMax) return this.#fail("its expression is nested too deeply");
    this.#depth += 1;
    const result = this.#factor(context);
    this.#depth -= 1;
    return result;
  }

  #factor(context: Found): Result {
    if (this.#takes("!", "-not")) {
      const at = this.#at;
      this.#term(context);
      return { ...anything, without: this.#excluded(this.#words.slice(at, this.#at)) };
    }
    if (!this.#takes("(")) return this.#primary(context);
    const result = this.#list(context);
    return this.#takes(")") ? result : this.#fail("its expression is not complete");
  }

  /** The folders whose contents a negated `-path` excludes. */
  #excluded([name, value]: readonly Word[]): string[] {
    const isPath = name?.text === "-path" || name?.text === "-wholename";
    const isContents = isPath && value?.known === "fixed" && value.text.endsWith("/*");
    const folder = isContents ? this.#folder(value.text.slice(0, -2)) : null;
    return folder === null ? [] : [folder];
  }

  /** The folder that a path pattern matches, without the files below it, for which other tests may be false. */
  #folder(path: string): string | null {
    const [, from, name] = /^(\*|\.)\/([^/*?[\\]+)$/.exec(path) ?? [];
    if (name === undefined) return null;
    if (from === "*") return name;
    return this.#isHere ? `./${name}` : null;
  }

  #primary(context: Found): Result {
    const word = this.#words[this.#at];
    this.#at += 1;
    const name = word?.text ?? "";
    if (!word || word.known !== "fixed")
      return this.#fail(`the word ${name} is not known before it runs`);
    if (tests.has(name)) return name === "-print" ? { ...anything, folders: [] } : anything;
    if (runners.has(name)) return this.#run(context, name.endsWith("dir"));
    if (name === "-delete") {
      this.#actions.delete();
      return anything;
    }
    return this.#valued(name);
  }

  #valued(name: string): Result {
    const isNewer = /^-newer[aBcm]([aBcmt])$/.exec(name);
    const isWriter = writers.has(name) || name === "-fprintf";
    const isFile = testsWithFile.has(name) || (isNewer !== null && isNewer[1] !== "t");
    if (!isWriter && !isFile && !isNewer && !testsWithText.has(name))
      return this.#fail(`the option ${name} is not known`);
    const value = this.#value(name);
    if (!value) return anything;
    if (isWriter) this.#actions.write(value);
    // A glob becomes file names, not options: names that begin with a dash need permission.
    else if (isFile || value.known === "names") this.#actions.name(value);
    if (name === "-fprintf") this.#value(name);
    return value.known === "fixed" ? this.#known(name, value.text) : anything;
  }

  #value(name: string): Word | null {
    const value = this.#words[this.#at];
    this.#at += 1;
    if (value && value.known !== "open") return value;
    this.#fail(`the value of ${name} is not known before it runs`);
    return null;
  }

  #known(name: string, text: string): Result {
    if (name === "-name" || name === "-iname")
      return { ...anything, names: [text], folders: text.includes("/") ? null : [text] };
    if (name === "-type")
      return { ...anything, isFile: text === "f", folders: text === "d" ? [] : null };
    const folder = /^-(?:path|wholename)$/.test(name) ? this.#folder(text) : null;
    return folder === null ? anything : { ...anything, folders: [folder] };
  }

  #run(context: Found, isElsewhere: boolean): Result {
    const start = this.#at;
    let end = start;
    while (end < this.#words.length && !this.#endsCommand(end, start)) end += 1;
    if (end >= this.#words.length || end === start)
      return this.#fail("the command that it runs is not complete");
    this.#at = end + 1;
    const isMany = this.#words[end]?.text === "+";
    this.#actions.run(this.#words.slice(start, end), context, { isElsewhere, isMany });
    return anything;
  }

  #endsCommand(at: number, start: number): boolean {
    const word = this.#words[at];
    if (word?.known !== "fixed") return false;
    return (
      word.text === ";" || (word.text === "+" && at > start && this.#words[at - 1]?.text === "{}")
    );
  }
}

/** The files for which both are true. `folders` stays exact if one of them tests only the type. */
function both(one: Result, two: Result, isFirst = false): Result {
  const isExact = one.folders !== null && two.folders !== null;
  const named = [one.folders, two.folders].filter((folders) => folders && folders.length > 0);
  return {
    names: one.names ?? two.names,
    isFile: one.isFile || two.isFile,
    without: [...one.without, ...two.without],
    folders: isFirst ? two.folders : isExact && named.length <= 1 ? (named[0] ?? []) : null,
    pruned: one.pruned,
  };
}

const isNamed = (folders: readonly string[] | null): boolean => (folders?.length ?? 0) > 0;

function either(one: Result, two: Result): Result {
  return {
    names: one.names && two.names ? [...one.names, ...two.names] : null,
    isFile: one.isFile && two.isFile,
    without: one.without.filter((folder) => two.without.includes(folder)),
    folders:
      isNamed(one.folders) && isNamed(two.folders)
        ? [...(one.folders ?? []), ...(two.folders ?? [])]
        : null,
    pruned: [],
  };
}
