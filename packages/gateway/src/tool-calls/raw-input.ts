import type { Line } from "@landline/shell";
import { isRecord } from "@landline/system/json";

/** Everything that the input of a tool call names, without text that is only displayed or written. */
export interface InputNames {
  readonly commands: readonly NamedCommand[];
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  /** False when a URL field contains something else. */
  readonly areUrlsKnown: boolean;
  /** The strings of unknown fields: each may be a command or a path. */
  readonly others: readonly string[];
  /** Why the input may do more than this, each as a clause. */
  readonly unknown: readonly string[];
  /** Why names may be missing, each as a clause. No rule allows such a call. */
  readonly unread: readonly string[];
}

export interface NamedCommand {
  readonly line: Line;
  /** As the agent wrote it; null when absent. */
  readonly cwd: string | null;
  /** It may be an action of an editing tool instead of a command: `create`, `str_replace`. */
  readonly isEditorVerb: boolean;
}

type Meaning =
  | "command"
  | "arguments"
  | "folder"
  | "variables"
  | "path"
  | "paths by name"
  | "url"
  | "urls"
  | "pattern"
  | "patch"
  | "parsed"
  | "text";

const meanings: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    command: "command cmd commands fullcommandtext",
    arguments: "args",
    // The folder of a command in the same object; otherwise a path.
    folder: "cwd workdir workingdirectory directory dir dirpath",
    variables: "env environment",
    path:
      "path paths file files filepath filepaths filename filenames absolutepath relativepath notebookpath targetfile " +
      "targetpath source sourcepath destination destinationpath oldpath newpath folder possiblepaths",
    "paths by name": "changes filechanges",
    url: "url uri",
    urls: "urls possibleurls",
    pattern: "pattern patterns glob globs globpattern include includes exclude excludes ignore",
    patch: "patch patchtext diff unifieddiff",
    parsed: "parsedcmd",
    text:
      "description explanation reason justification intention instruction thought title text content contents body message " +
      "oldstring newstring oldstr newstr oldtext newtext filetext inserttext newsource newfilecontents prompt query " +
      "question questions header label activeform status priority id todos subagenttype outputmode editmode cellid " +
      "celltype type operation mode encoding language format timeout timeoutms model effort sessionid toolcallid callid " +
      "turnid taskid approvalid proposedexecpolicyamendment plan",
  } satisfies Record<Meaning, string>).flatMap(([meaning, fields]) =>
    fields.split(" ").map((field) => [field, meaning as Meaning] as const),
  ),
);

/** `file_path`, `filePath` and `file-path` are one field. */
function meaningOf(field: string): Meaning | undefined {
  return meanings.get(field.replaceAll(/[_-]/g, "").toLowerCase());
}

/** Whether the field is only displayed or written and names nothing. */
export function isTextField(field: string): boolean {
  return meaningOf(field) === "text";
}

const editorVerbs: ReadonlySet<string> = new Set(
  "create view insert str_replace undo_edit read write edit delete rename".split(" "),
);

/** Limits on the nesting and on the number of strings, lists and objects that are read. */
const depthMax = 12;
const partsMax = 10_000;
/** The rest of a longer command is not read. */
const lineMax = 32_768;
const wordsMax = 1_000;
/** Further reasons add nothing. */
const unknownMax = 100;

export function readRawInput(rawInput: unknown): InputNames {
  const reader = new InputReader();
  reader.read(rawInput);
  return reader.names;
}

/** A list or an object that is read after the fields with a known meaning. */
interface Later {
  readonly value: object;
  /** For messages; null when its texts are only displayed or written. */
  readonly field: string | null;
  readonly depth: number;
}

class InputReader {
  readonly #commands: NamedCommand[] = [];
  readonly #paths: string[] = [];
  readonly #urls: string[] = [];
  readonly #others: string[] = [];
  readonly #unknown = new Set<string>();
  readonly #unread = new Set<string>();
  readonly #later: Later[] = [];
  #areUrlsKnown = true;
  #parts = 0;

  get names(): InputNames {
    return {
      commands: this.#commands,
      paths: [...new Set(this.#paths)],
      urls: this.#urls,
      areUrlsKnown: this.#areUrlsKnown,
      others: this.#others,
      unknown: [...this.#unknown],
      unread: [...this.#unread],
    };
  }

  read(rawInput: unknown): void {
    this.#postpone(rawInput, "the input", 0);
    for (let at = 0; at < this.#later.length; at += 1) {
      const later = this.#later[at];
      if (later) this.#read(later);
    }
  }

  #read({ value, field, depth }: Later): void {
    if (!this.#isFollowed(value, depth)) return;
    if (Array.isArray(value)) for (const item of value) this.#postpone(item, field, depth + 1);
    else if (isRecord(value)) this.#record(value, depth);
  }

  /** Defers unknown fields, so that any number of them cannot keep a command or a path from being read. */
  #postpone(value: unknown, field: string | null, depth: number): void {
    if (isObject(value)) {
      if (this.#later.length < partsMax) this.#later.push({ value, field, depth });
      else this.#cut();
    } else if (typeof value === "string" && field !== null && value.trim() !== "") {
      if (this.#others.length < partsMax) this.#others.push(value);
      else this.#cut();
      this.#doubt(`the meaning of ${field} is unknown`);
    }
  }

  #isFollowed(value: unknown, depth: number): boolean {
    return isObject(value) && this.#hasRoom(depth <= depthMax);
  }

  #keep(text: string, list: string[]): boolean {
    const hasRoom = this.#hasRoom();
    if (hasRoom) list.push(text);
    return hasRoom;
  }

  #hasRoom(isNear = true): boolean {
    this.#parts += 1;
    if (isNear && this.#parts <= partsMax) return true;
    this.#cut();
    return false;
  }

  #cut(): void {
    this.#unread.add("its input is too large to be read");
  }

  #doubt(reason: string): void {
    if (this.#unknown.size < unknownMax) this.#unknown.add(reason);
  }

  #addCommand(line: Line, cwd: string | null, isEditorVerb = false): void {
    if (!this.#hasRoom()) return;
    const read = clipLine(line);
    if (read !== line) this.#unread.add("it runs a command that is too long to be read");
    this.#commands.push({ line: read, cwd, isEditorVerb });
  }

  #record(record: Readonly<Record<string, unknown>>, depth: number): void {
    const fields = Object.entries(record);
    const of = (meaning: Meaning) => fields.filter(([name]) => meaningOf(name) === meaning);
    const commands = of("command");
    const args = of("arguments");
    const folders = of("folder");
    const isCommand = commands.some(([, value]) => value !== null && value !== undefined);
    const words = args.flatMap(([, value]) => wordsOf(value) ?? []);
    const cwd = isCommand ? this.#folderOf(folders) : null;
    for (const [name, value] of commands) this.#command(value, words, cwd, name, depth);
    if (!isCommand) for (const [, value] of folders) this.#strings(value, this.#paths, depth);
    const isUsed = isCommand && args.every(([, value]) => isNothing(value) || wordsOf(value));
    if (!isUsed) for (const [name, value] of args) this.#postpone(value, quoted(name), depth + 1);
    for (const [name, value] of fields) this.#field(name, value, depth);
  }

  /** With several folders, or a value that is not a string, the folder is ambiguous. */
  #folderOf(folders: readonly (readonly [string, unknown])[]): string | null {
    const given = folders.filter(([, value]) => !isNothing(value));
    const [first] = given;
    if (first === undefined) return null;
    if (given.length > 1 || typeof first[1] !== "string") {
      this.#doubt("it is unclear in which folder it runs");
      return null;
    }
    return first[1];
  }

  #command(
    value: unknown,
    words: readonly string[],
    cwd: string | null,
    name: string,
    depth: number,
  ): void {
    const list = wordsOf(value);
    if (typeof value === "string") {
      const line = words.length === 0 ? value : [value, ...words];
      const isEditorVerb = words.length === 0 && editorVerbs.has(value);
      if (value.trim() !== "") this.#addCommand(line, cwd, isEditorVerb);
    } else if (list !== null && list.length > 0 && meaningOf(name) === "command") {
      const isSeveral = /s$/i.test(name);
      const lines: Line[] = isSeveral ? [...list] : [[...list, ...words]];
      for (const line of lines) this.#addCommand(line, cwd);
    } else this.#postpone(value, quoted(name), depth + 1);
  }

  #field(name: string, value: unknown, depth: number): void {
    switch (meaningOf(name)) {
      case "command":
      case "arguments":
      case "folder":
        return;
      case "variables":
        if (isNothing(value)) return;
        this.#doubt("it sets environment variables");
        return this.#postpone(value, quoted(name), depth + 1);
      case "path":
        return this.#strings(value, this.#paths, depth);
      case "paths by name":
        if (isRecord(value)) for (const path of Object.keys(value)) this.#keep(path, this.#paths);
        return this.#strings(value, this.#paths, depth);
      case "url":
        return this.#url(value);
      case "urls":
        return this.#urlList(value);
      case "pattern":
        return this.#patterns(value, depth);
      case "patch":
        return this.#patch(value, depth);
      case "parsed":
        return this.#parsed(value);
      case "text":
        return this.#postpone(value, null, depth + 1);
      default:
        // Some agents name files by the fields of an object.
        if (/[/\\~]|^\./.test(name)) this.#keep(name, this.#paths);
        return this.#postpone(value, quoted(name), depth + 1);
    }
  }

  /** Collects all strings of a field with a known meaning; nested objects have fields of their own. */
  #strings(value: unknown, list: string[], depth: number): void {
    if (typeof value === "string") this.#keep(value, list);
    else if (this.#isFollowed(value, depth)) {
      if (Array.isArray(value)) for (const item of value) this.#strings(item, list, depth + 1);
      else if (isRecord(value)) this.#record(value, depth + 1);
    }
  }

  #url(value: unknown): void {
    if (value === undefined || value === null) return;
    if (typeof value !== "string" || !this.#keep(value, this.#urls)) this.#areUrlsKnown = false;
    else if (/^file:/i.test(value)) this.#keep(value, this.#paths);
  }

  /** A string in place of a list may contain more than one URL. */
  #urlList(value: unknown): void {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const item of value) this.#url(item);
    else {
      this.#areUrlsKnown = false;
      if (typeof value === "string") this.#url(value);
    }
  }

  /** The matches of a pattern are below its part without wildcards. */
  #patterns(value: unknown, depth: number): void {
    const patterns: string[] = [];
    this.#strings(value, patterns, depth);
    for (const pattern of patterns)
      if (/^(?:[/~\\]|[a-z]:|file:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(pattern))
        this.#paths.push(pattern.replace(/[^/\\]*[*?[{].*$/s, "") || "/");
  }

  #patch(value: unknown, depth: number): void {
    const patches: string[] = [];
    this.#strings(value, patches, depth);
    for (const patch of patches)
      for (const path of pathsOfPatch(patch)) if (!this.#keep(path, this.#paths)) return;
  }

  /** The agent's own analysis of its command; other fields are for display. */
  #parsed(value: unknown): void {
    const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const part of parts.filter(isRecord)) {
      const { cmd, path } = part;
      if (typeof cmd === "string" && cmd.trim() !== "") this.#addCommand(cmd, null);
      if (typeof path === "string") this.#keep(path, this.#paths);
    }
  }
}

/** Returns the line itself, or its beginning when it is too long. */
function clipLine(line: Line): Line {
  if (typeof line === "string") return line.length <= lineMax ? line : line.slice(0, lineMax);
  let left = lineMax;
  const words = line.slice(0, wordsMax).flatMap((word) => {
    const room = left;
    left -= word.length;
    return room > 0 || word === "" ? word.slice(0, Math.max(0, room)) : [];
  });
  return left >= 0 && words.length === line.length ? line : words;
}

/** The files that a patch names in its headers. Some tools accept white space before a header. */
function* pathsOfPatch(patch: string): Generator<string> {
  const header =
    /^(?:[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to):|(\+\+\+|---) |(?:rename|copy) (?:from|to) )(.+)$/gmu;
  for (const [, prefixed, name = ""] of patch.matchAll(header)) {
    const path = name.replace(/\t.*$/, "").trim();
    // Only these lines have git's prefixes; elsewhere `a/` is a folder.
    const named = prefixed === undefined ? path : path.replace(/^[ab]\//, "");
    if (named !== "" && path !== "/dev/null") yield named;
  }
}

const quoted = (name: string): string => `“${name.slice(0, 100)}”`;

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

function wordsOf(value: unknown): readonly string[] | null {
  const isWords = Array.isArray(value) && value.every((word) => typeof word === "string");
  return isWords ? value : null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
