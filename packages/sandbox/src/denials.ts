/** One access that a sandbox denied to a program. */
export interface Denial {
  readonly failure: PathFailure | "network";
  /** A path as the program named it, or a host. Null: the program named none. */
  readonly what: string | null;
  /** The program tried to change the path. False: it did not, or the output does not show it. */
  readonly isChange: boolean;
  /** The program may have tried to create the parent folders too. */
  readonly makesParents?: true;
  /** For a file that could not be moved between mounts: the other path. */
  readonly other?: string;
}

/** `missing`: the program did not find a file, which may be hidden. `busy`: a mount cannot be replaced. */
type PathFailure = "read-only" | "refused" | "missing" | "busy" | "other-mount";

/**
 * Finds denied accesses in the output of a confined program. Linux does not report which system call failed, so the
 * error messages are the only evidence. The result is a guess, and a person decides.
 */
export function denialsIn(output: string): Denial[] {
  const found = new Map<string, Denial>();
  const lines = output.split("\n").slice(-linesMax);
  for (const index of lines.keys()) {
    for (const denial of denialsAt(lines, index))
      found.set(`${denial.failure} ${denial.isChange} ${denial.what}`, denial);
  }
  return [...found.values()];
}

/** Programs report failures at the end of their output. */
const linesMax = 200;
const lineLengthMax = 1_000;

function denialsAt(lines: readonly string[], index: number): Denial[] {
  const line = lines[index] ?? "";
  if (line.length > lineLengthMax) return [];
  for (const { failure, forms } of pathForms) {
    for (const form of forms) {
      const names = form.exec(line)?.groups;
      if (names) return pathDenials(failure, names, { line, isWrite: isWriting(lines, index) });
    }
    if (failure === "read-only" && /[Rr]ead-only file system/.test(line))
      return [{ failure, what: null, isChange: true }];
  }
  const missing =
    /cannot (?:create (?<made>.+): Directory nonexistent|open (?<read>.+): No such file)$/;
  const dash = missing.exec(line)?.groups;
  if (dash) {
    const { made, read } = dash;
    return [{ failure: "missing", what: made ?? read ?? null, isChange: made !== undefined }];
  }
  const host = hostForms.map((form) => form.exec(line)).find((match) => match !== null);
  return host ? [{ failure: "network", what: host.groups?.["what"] || null, isChange: false }] : [];
}

type Names = Readonly<Partial<Record<string, string>>>;

/** The second of two paths is the one that is written. */
function pathDenials(
  failure: PathFailure,
  { call = "", what = "", to }: Names,
  { line, isWrite }: { readonly line: string; readonly isWrite: boolean },
): Denial[] {
  if (failure === "other-mount") return to === undefined ? [] : moveDenials(what, to, call);
  const isDefinite = failure === "read-only" || failure === "busy";
  const isKept = keepingCalls.has(call);
  const makesParents = isMakingParents(failure, call, line)
    ? ({ makesParents: true } as const)
    : {};
  const first = { failure, what, isChange: isWrite || isDefinite, ...makesParents };
  if (to === undefined) return [first];
  const second = { failure, what: to, isChange: true };
  return isKept && isDefinite ? [second] : [{ ...first, isChange: !isKept }, second];
}

function moveDenials(from: string, to: string, call: string): Denial[] {
  const shared = { failure: "other-mount", isChange: true } as const;
  const second = { ...shared, what: to, other: from };
  return keepingCalls.has(call) ? [second] : [{ ...shared, what: from, other: to }, second];
}

/** Node reports "no such file" if it cannot create several folders. git names the last of them. */
function isMakingParents(failure: PathFailure, call: string, line: string): boolean {
  return (failure === "missing" && call === "mkdir") || /\bleading directories\b/.test(line);
}

/** Node calls with two paths that do not change the first. */
const keepingCalls: ReadonlySet<string> = new Set(["copyfile", "link", "symlink"]);

/**
 * Messages of Node (`EROFS: read-only file system, open 'X'`), of Python (`[Errno 30] Read-only file system: 'X'`), and of the
 * C library as programs show them (`cat: X: Permission denied`, `mv: cannot move 'X' to 'Y': Permission denied`).
 */
function suggestedRules(code: string, words: string): RegExp[] {
  return [
    `\\b${code}: [^',]*, (?<call>\\w+) '(?<what>[^']+)'(?: -> '(?<to>[^']+)')?`,
    `${words}:? '(?<what>[^']+)'(?: -> '(?<to>[^']+)')?`,
    // mv, if it copies instead
    `inter-device move failed: ['‘][^'’]+['’] to ['‘](?<what>[^'’]+)['’][^:]*: ${words}`,
    `['‘](?<what>[^'’]+)['’] to ['‘](?<to>[^'’]+)['’]: ${words}`,
    `['‘](?<what>[^'’]+)['’](?: for (?:reading|writing))?: ${words}`,
    // tar
    `^[^:]+: (?<what>.+): Cannot \\w+: ${words}`,
    // dash
    `^[^:]+: \\d+: cannot (?:create|open) (?<what>.+): ${words}`,
    `(?:^|[\\s:])(?<what>[^\\s:'"]+): ${words}`,
  ].map((form) => new RegExp(form));
}

const pathForms: readonly { readonly failure: PathFailure; readonly forms: readonly RegExp[] }[] = [
  { failure: "read-only", forms: suggestedRules("EROFS", "[Rr]ead-only file system") },
  { failure: "refused", forms: suggestedRules("EACCES", "[Pp]ermission denied") },
  { failure: "missing", forms: suggestedRules("ENOENT", "[Nn]o such file or directory") },
  // cp, if the folder is hidden
  {
    failure: "missing",
    forms: [/cannot create \w+ \w+ ['‘](?<what>[^'’]+)\/['’]: Not a directory/],
  },
  { failure: "busy", forms: suggestedRules("EBUSY", "[Dd]evice or resource busy") },
  { failure: "other-mount", forms: suggestedRules("EXDEV", "[Ii]nvalid cross-device link") },
];

/**
 * The C library reports the same error for reads and writes. The rest of the message and the calls around it
 * distinguish them.
 */
function isWriting(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? "";
  return (
    [writingProgram, writingWords, writingCall].some((pattern) => pattern.test(line)) ||
    isWritingInNode(lines, index) ||
    isWritingInPython(lines, index)
  );
}

const writingProgram = /^(?:\S*\/)?(?:chmod|chown|mkdir|mktemp|mv|rm|rmdir|tee|touch|truncate): /;
const writingWords =
  /\b(?:can't|cannot|could not|couldn't|failed to|unable to) (?:append|change|create|delete|lock|make|mkdir|move|overwrite|remove|rename|save|truncate|unlink|write)\b|\bfor writing\b/i;
/** In messages of Node (`, unlink 'X'`) and of Go (`unlinkat X:`). */
const writingCall =
  /(?:^|[\s:])(?:chmod|chown|mkdir|mkdtemp|remove|rename|rm|rmdir|truncate|unlink|unlinkat|utime) (?:'|[^\s:'"]+: )/;

/** Stack frames to examine after an error of Node, and lines before an error of Python. */
const framesMax = 4;
const sourceLinesMax = 16;

/** The stack starts with the functions of Node itself. */
function isWritingInNode(lines: readonly string[], index: number): boolean {
  for (const frame of lines.slice(index + 1, index + 1 + framesMax)) {
    if (/^Emitted 'error' event on WriteStream\b/.test(frame)) return true;
    const name = /^\s+at (?:async )?(?:\w+\.)?(?<name>\w+) \(node:/.exec(frame)?.groups?.["name"];
    if (name === undefined) return false;
    if (/^(?:(?:write|append)File|rm(?:Sync)?$)/.test(name)) return true;
  }
  return false;
}

/** The source line of the last call is directly before the message. `pathlib` passes its mode on. */
function isWritingInPython(lines: readonly string[], index: number): boolean {
  const before = lines.slice(Math.max(0, index - sourceLinesMax), index).toReversed();
  for (const line of before) {
    if (!line.startsWith("  ") || line.length > lineLengthMax) return false;
    if (/\bopen\((?!self, mode\b)/.test(line))
      return /\bopen\([^)]*(?:, ?|mode=)["'][rbt]*[wax+]/.test(line);
  }
  return false;
}

const hostForms: readonly RegExp[] = [
  /Could not resolve (?:host|proxy)(?: name)?:? (?<what>[\w.-]+)/i,
  /\b(?:EAI_AGAIN|ENOTFOUND) (?<what>[\w.-]+)/,
  /Temporary failure (?:in name resolution|resolving '(?<what>[^']+)')/,
  /unable to resolve host address [‘'](?<what>[^’']+)/,
  /dial tcp: lookup (?<what>[\w.-]+)/,
  /failed to lookup address information/,
  /Name or service not known/,
  /Network is unreachable|ENETUNREACH/,
];
