/** Maximum length of a request. A longer one is not understood. */
const requestCharactersMax = 20_000;

/** What the demo model can be asked to do. */
export type Instruction =
  | { verb: "list"; path: string | undefined }
  | { verb: "read"; file: string; offset?: number; limit?: number }
  | { verb: "search"; pattern: string; path: string | undefined }
  | { verb: "find"; pattern: string; path: string | undefined }
  | { verb: "replace"; from: string; to: string; file: string; all: boolean }
  | { verb: "create"; file: string; text: string }
  | { verb: "run"; command: string }
  | { verb: "fetch"; url: string }
  | { verb: "plan"; items: string[] }
  | { verb: "delegate"; prompt: string }
  | { verb: "ask"; question: string; options: string[] }
  | { verb: "mcp"; server: string; tool: string; input: Record<string, unknown> }
  | { verb: "think"; text: string }
  | { verb: "tour" }
  | { verb: "help" }
  /** A known verb with unusable arguments. */
  | { verb: "unclear"; text: string; form: string };

/** The form of each instruction, for the help text. */
export const forms = {
  list: "list [FOLDER]",
  read: "read FILE [lines 10-20]",
  search: "search WORDS [in FOLDER]",
  find: "find GLOB [in FOLDER]",
  replace: 'replace [all] "OLD" with "NEW" in FILE',
  create: "create FILE: TEXT",
  run: "run COMMAND",
  fetch: "fetch URL",
  plan: "plan: STEP; STEP; STEP",
  delegate: "delegate: INSTRUCTIONS",
  ask: "ask QUESTION? ANSWER, ANSWER",
  mcp: "mcp SERVER.TOOL {JSON}",
  think: "think WORDS",
  tour: "tour",
} as const;

type Verb = keyof typeof forms;

/** Few, so that the first word of an ordinary request is not taken for a verb. */
const synonyms = new Map<string, Verb>([
  ["ls", "list"],
  ["cat", "read"],
  ["grep", "search"],
  ["glob", "find"],
]);

/** Ordinary requests begin with these words, so they require a colon. */
const withColon = new Set<Verb>(["plan", "delegate"]);

const words = [...Object.keys(forms), ...synonyms.keys(), "help"].join("|");
const verbAhead = `(?=(?:please\\s+)?(?:${words})\\b)`;
const thenJoint = new RegExp(`(?<=[\\s,])(?:and\\s+)?then[\\s,]+${verbAhead}`, "giu");
const andJoint = new RegExp(`(?<=[\\s,])and\\s+${verbAhead}`, "giu");

/** Instructions that may run in parallel. */
const together = new Set(["list", "read", "search", "find", "run", "fetch", "delegate", "mcp"]);

/**
 * Parses instructions: groups in sequence (`then`), each with instructions that run in parallel (`and`). Null
 * when the text does not begin with a known verb.
 */
export function parse(text: string): Instruction[][] | null {
  if (text.length > requestCharactersMax) return null;
  const groups = split(text.trim(), thenJoint).map(group);
  return groups.every((each) => each !== null) ? groups : null;
}

function group(text: string): Instruction[] | null {
  const pieces = split(text, andJoint);
  const several = pieces.map(instruction);
  if (pieces.length > 1 && several.every((each) => each !== null && together.has(each.verb))) {
    return several.filter((each) => each !== null);
  }
  const one = instruction(text);
  return one === null ? null : [one];
}

function instruction(text: string): Instruction | null {
  const found = /^(?:please\s+)?(\p{L}+)\b\s*(:?)\s*([\s\S]*)$/iu.exec(text.trim());
  const word = found?.[1]?.toLowerCase() ?? "";
  const hasColon = found?.[2] === ":";
  const rest = found?.[3]?.trim() ?? "";
  if (word === "help") return { verb: "help" };
  const verb = Object.hasOwn(forms, word) ? (word as Verb) : synonyms.get(word);
  if (verb === undefined) return null;
  const read = withColon.has(verb) && !hasColon ? null : readers[verb](rest);
  return read ?? { verb: "unclear", text: text.trim(), form: forms[verb] };
}

const readers: Record<Verb, (rest: string) => Instruction | null> = {
  list: (rest) => ({
    verb: "list",
    path: named(rest.replace(/^(the\s+)?(files|folder)(\s+(in|of))?\b\s*/i, "")) || undefined,
  }),
  read: readFile,
  search: (rest) => {
    const { what, where } = inFolder(rest.replace(/^for\s+/i, ""));
    return what === "" ? null : { verb: "search", pattern: what, path: where };
  },
  find: (rest) => {
    const { what, where } = inFolder(rest);
    return what === "" ? null : { verb: "find", pattern: what, path: where };
  },
  replace: (rest) => {
    const found =
      /^(all\s+)?(["'`“])([\s\S]+?)["'`”]\s+(?:with|by)\s+(["'`“])([\s\S]*?)["'`”]\s+in\s+(\S[\s\S]*)$/i.exec(
        rest,
      );
    const [, all, , from, , to, file] = found ?? [];
    if (from === undefined || to === undefined || file === undefined) return null;
    return {
      verb: "replace",
      from: unescaped(from),
      to: unescaped(to),
      file: named(file),
      all: all !== undefined,
    };
  },
  create: (rest) => {
    const found = /^(\S+?|"[^"]+"|`[^`]+`)(?:\s*:|\s+with\s)\s*([\s\S]*)$/i.exec(rest);
    const [, file, text] = found ?? [];
    if (file === undefined || text === undefined) return null;
    const plain = /^["“`]([\s\S]*)["”`]$/.exec(text)?.[1];
    return {
      verb: "create",
      file: named(file),
      text: lineEnded(plain === undefined ? text : unescaped(plain)),
    };
  },
  run: (rest) => (rest === "" ? null : { verb: "run", command: unquoted(rest, "`") }),
  fetch: (rest) => {
    const url = unquoted(rest);
    return URL.canParse(url) && /^https?:/i.test(url) ? { verb: "fetch", url } : null;
  },
  plan: (rest) => {
    const items = rest
      .split(/[;\n]/)
      .map((item) => item.trim())
      .filter((item) => item !== "");
    return items.length === 0 ? null : { verb: "plan", items };
  },
  delegate: (rest) => (rest === "" ? null : { verb: "delegate", prompt: rest }),
  ask: (rest) => {
    const end = rest.indexOf("?");
    const question = end === -1 ? rest : rest.slice(0, end + 1);
    if (question === "") return null;
    const options = (end === -1 ? "" : rest.slice(end + 1))
      .split(/,|\bor\b/)
      .map((option) => unquoted(option.trim()))
      .filter((option) => option !== "");
    return { verb: "ask", question, options: options.length > 1 ? options : ["Yes", "No"] };
  },
  mcp: (rest) => {
    const [, server, tool, json] = /^([\w-]+)[./]([\w.-]+)\s*([\s\S]*)$/.exec(rest) ?? [];
    const input = objectOf(json === undefined || json === "" ? "{}" : json);
    if (server === undefined || tool === undefined || input === null) return null;
    return { verb: "mcp", server, tool, input };
  },
  think: (rest) => (rest === "" ? null : { verb: "think", text: rest }),
  tour: () => ({ verb: "tour" }),
};

function readFile(rest: string): Instruction | null {
  const range = /(?<=\s)(?:from\s+)?lines?\s+(\d+)(?:\s*(?:-|to)\s*(\d+))?\s*$/i.exec(rest);
  const file = named(range === null ? rest : rest.slice(0, range.index).trimEnd());
  if (file === "") return null;
  if (range === null) return { verb: "read", file };
  const offset = Math.max(1, Number(range[1]));
  const last = range[2] === undefined ? undefined : Number(range[2]);
  return {
    verb: "read",
    file,
    offset,
    ...(last === undefined ? {} : { limit: Math.max(1, last - offset + 1) }),
  };
}

function inFolder(rest: string): { what: string; where: string | undefined } {
  const quoted = /^(["'`“])([\s\S]+?)["'`”](?:\s+in\s+(\S[\s\S]*))?$/.exec(rest);
  if (quoted !== null) return { what: quoted[2] ?? "", where: folder(quoted[3]) };
  const at = rest.toLowerCase().lastIndexOf(" in ");
  if (at === -1) return { what: rest, where: undefined };
  return { what: rest.slice(0, at).trim(), where: folder(rest.slice(at + 4)) };
}

function folder(text: string | undefined): string | undefined {
  return text === undefined ? undefined : named(text.trim()) || undefined;
}

/** A path, with or without the `@` of a mention. Quotes keep an `@` that belongs to the name. */
function named(text: string): string {
  return unquoted(text.replace(/^@(?=.)/, ""));
}

function unquoted(text: string, quotes = "\"'`"): string {
  const [first] = text;
  const isQuoted = text.length > 1 && first !== undefined && quotes.includes(first);
  return isQuoted && text.endsWith(first) ? text.slice(1, -1) : text;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([nt\\"])/g, (_, letter: string) => {
    if (letter === "n") return "\n";
    return letter === "t" ? "\t" : letter;
  });
}

function lineEnded(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function objectOf(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Splits at the separator outside of quotes, but not after a semicolon: `; then` is shell syntax. */
function split(text: string, joint: RegExp): string[] {
  const held = quotedRanges(text);
  const pieces: string[] = [];
  let start = 0;
  for (const match of text.matchAll(joint)) {
    const piece = withoutEnd(text.slice(start, match.index));
    const isHeld = held.some(([from, to]) => match.index > from && match.index < to);
    if (isHeld || piece.endsWith(";")) continue;
    pieces.push(piece);
    start = match.index + match[0].length;
  }
  pieces.push(text.slice(start));
  return pieces.map((piece) => piece.trim());
}

/** Removes trailing commas and spaces. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function quotedRanges(text: string): [number, number][] {
  return [...text.matchAll(/"[^"]*"|“[^”]*”|`[^`]*`|(?<=\s)'[^']*'/g)].map((match) => [
    match.index,
    match.index + match[0].length - 1,
  ]);
}
