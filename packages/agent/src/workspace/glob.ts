import { matchesWildcards } from "@landline/system/wildcards";
import { SearchProblem } from "./workspace.ts";

/** Maximum alternatives of `{a,b}`. More are refused. */
const alternativesMax = 256;

/**
 * Matches paths against a glob: `*` and `?` within a name, `**` across folders, `[a-z]`, `[!a]`, `{a,b}` and
 * `\`. A glob without `/` matches the name at any depth. Takes time proportional to path times glob.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const globs = alternatives(glob).map(parseGlob);
  return (path) => {
    const names = path.split("/").map((name) => Array.from(name));
    return globs.some((parts) => matchesParts(parts, names));
  };
}

type Character = { type: "literal"; text: string } | { type: "any" } | CharacterSet;
interface CharacterSet {
  type: "set";
  negated: boolean;
  ranges: [string, string][];
}
type NamePart = Character | { type: "star" };
type PathPart = NamePart[] | "folders";

function parseGlob(glob: string): PathPart[] {
  const anchored = glob.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
  const parts = anchored.split("/").map((part) => (part === "**" ? "folders" : parseName(part)));
  return glob.includes("/") ? parts : ["folders", ...parts];
}

function parseName(text: string): NamePart[] {
  const characters = Array.from(text);
  const parts: NamePart[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const set = character === "[" ? parseSet(characters, at + 1) : null;
    if (set !== null) {
      parts.push(set.set);
      at = set.end;
    } else if (character === "*") {
      if (parts.at(-1)?.type !== "star") parts.push({ type: "star" });
    } else if (character === "?") parts.push({ type: "any" });
    else if (character === "\\" && at + 1 < characters.length) {
      at += 1;
      parts.push({ type: "literal", text: characters[at] ?? "" });
    } else parts.push({ type: "literal", text: character });
  }
  return parts;
}

/** Null for an unclosed bracket, which matches itself. */
function parseSet(characters: string[], from: number): { set: CharacterSet; end: number } | null {
  const negated = characters[from] === "!" || characters[from] === "^";
  const ranges: [string, string][] = [];
  const first = negated ? from + 1 : from;
  for (let at = first; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    if (character === "]" && at > first) return { set: { type: "set", negated, ranges }, end: at };
    const upper = characters[at + 2];
    if (characters[at + 1] === "-" && upper !== undefined && upper !== "]") {
      ranges.push([character, upper]);
      at += 2;
    } else ranges.push([character, character]);
  }
  return null;
}

/** Matches `**` against names like `*` against characters. */
function matchesParts(parts: PathPart[], names: string[][]): boolean {
  return matchesWildcards(
    parts.length,
    names.length,
    (index) => parts[index] === "folders",
    (index, at) => {
      const part = parts[index];
      return Array.isArray(part) && matchesName(part, names[at] ?? []);
    },
  );
}

function matchesName(parts: NamePart[], name: string[]): boolean {
  return matchesWildcards(
    parts.length,
    name.length,
    (index) => parts[index]?.type === "star",
    (index, at) => matchesCharacter(parts[index], name[at] ?? ""),
  );
}

function matchesCharacter(part: NamePart | undefined, character: string): boolean {
  if (part === undefined || part.type === "star") return false;
  if (part.type === "any") return true;
  if (part.type === "literal") return part.text === character;
  const inside = part.ranges.some(([low, high]) => low <= character && character <= high);
  return inside !== part.negated;
}

/** Expands `a{b,c}` to `ab` and `ac`; an unclosed brace matches itself. */
function alternatives(glob: string): string[] {
  const done: string[] = [];
  const open = [glob];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = firstBrace(next);
    if (brace === null) done.push(next);
    else {
      for (const option of brace.options.toReversed()) {
        open.push(next.slice(0, brace.start) + option + next.slice(brace.end + 1));
      }
    }
    if (done.length + open.length > alternativesMax) {
      throw new SearchProblem(
        `The pattern has more than ${alternativesMax} alternatives in braces. Use a simpler one.`,
      );
    }
  }
  return done;
}

function firstBrace(glob: string): { start: number; end: number; options: string[] } | null {
  const start = unescapedIndex(glob, "{", 0);
  if (start === -1) return null;
  const options: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start + 1; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === "\\") at += 1;
    else if (character === "{") depth += 1;
    else if (character === "}" && depth > 0) depth -= 1;
    else if (character === "}") {
      options.push(glob.slice(from, at));
      return { start, end: at, options };
    } else if (character === "," && depth === 0) {
      options.push(glob.slice(from, at));
      from = at + 1;
    }
  }
  return null;
}

function unescapedIndex(text: string, character: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === character) return at;
  }
  return -1;
}
