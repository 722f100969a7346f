import type { ToolCallUpdate } from "@agentclientprotocol/sdk";
import { type NamedCommand, readRawInput } from "./raw-input.ts";

/** Everything that a tool call and its permission requests named, according to the agent. */
export interface CallNames {
  readonly kinds: readonly string[];
  readonly names: readonly string[];
  readonly titles: readonly string[];
  /** As written: locations, files of diffs, and paths of the input. */
  readonly paths: readonly string[];
  readonly commands: readonly NamedCommand[];
  readonly urls: readonly string[];
  readonly areUrlsKnown: boolean;
  /** The strings of unknown fields: each may be a command or a path. */
  readonly others: readonly string[];
  /** Why the call may do more than this, each as a clause. */
  readonly unknown: readonly string[];
  /** Why names may be missing, each as a clause. No rule allows such a call. */
  readonly unread: readonly string[];
  /** Whether it contains a diff. */
  readonly hasDiff: boolean;
}

export const noNames: CallNames = {
  kinds: [],
  names: [],
  titles: [],
  paths: [],
  commands: [],
  urls: [],
  areUrlsKnown: true,
  others: [],
  unknown: [],
  unread: [],
  hasDiff: false,
};

/** The names in one `tool_call`, `tool_call_update` or permission request. */
export function namesOf(toolCall: Partial<ToolCallUpdate>): CallNames {
  const input = readRawInput(toolCall.rawInput);
  const content = listOf(toolCall.content);
  const places = [...listOf(toolCall.locations), ...content].map((item) => fieldOf(item, "path"));
  return {
    ...input,
    kinds: textsOf(toolCall.kind),
    names: textsOf(toolCall.name),
    titles: textsOf(toolCall.title),
    paths: [...new Set([...places.filter((path) => typeof path === "string"), ...input.paths])],
    hasDiff: content.some((item) => fieldOf(item, "type") === "diff"),
  };
}

/** Maximum for one call. */
const entriesMax = 2_000;
const charactersMax = 200_000;
const reasonsMax = 100;

const tooMany = "it names more than can be stored";

/** Merges both within the limits; returns the first when the second has nothing new. */
export function mergedNames(known: CallNames, further: CallNames): CallNames {
  const room = new Room();
  // The most decisive lists come first, so that others cannot displace them.
  const kinds = room.fill(known.kinds, further.kinds);
  const names = room.fill(known.names, further.names);
  const commands = room.fill(known.commands, further.commands);
  const paths = room.fill(known.paths, further.paths);
  const urls = room.fill(known.urls, further.urls);
  const titles = room.fill(known.titles, further.titles);
  const others = room.fill(known.others, further.others);
  const unread = union(known.unread, further.unread);
  const merged: CallNames = {
    kinds,
    names,
    titles,
    paths,
    commands,
    urls,
    areUrlsKnown: known.areUrlsKnown && further.areUrlsKnown,
    others,
    unknown: union(known.unknown, further.unknown).slice(0, reasonsMax),
    unread: room.isFull ? union(unread, [tooMany]) : unread,
    hasDiff: known.hasDiff || further.hasDiff,
  };
  return isSame(known, merged) ? known : merged;
}

/** The total characters stored for a call. */
export function sizeOf({ kinds, names, titles, paths, commands, urls, others }: CallNames): number {
  const texts = [kinds, names, titles, paths, urls, others].flat();
  return [...texts, ...commands.flatMap(textsIn)].reduce((sum, { length }) => sum + length, 0);
}

/** A list only grows or shrinks at its end, so equal lengths mean equal lists. */
function isSame(known: CallNames, merged: CallNames): boolean {
  const fields = Object.keys(merged) as (keyof CallNames)[];
  return fields.every((field) => {
    const [one, other] = [known[field], merged[field]];
    return typeof one === "boolean" || typeof other === "boolean"
      ? one === other
      : one.length === other.length;
  });
}

/** The size limits for the names of one call. */
class Room {
  #entries = entriesMax;
  #characters = charactersMax;
  isFull = false;

  /** The items of both lists within the limits. */
  fill<Item extends string | NamedCommand>(
    known: readonly Item[],
    further: readonly Item[],
  ): readonly Item[] {
    const all = union(known, further);
    const kept = all.filter((item) => this.#takes(textsIn(item)));
    return kept.length === all.length ? all : kept;
  }

  #takes(texts: readonly string[]): boolean {
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (texts.length > this.#entries || length > this.#characters) {
      this.isFull = true;
      return false;
    }
    this.#entries -= texts.length;
    this.#characters -= length;
    return true;
  }
}

function textsIn(item: string | NamedCommand): readonly string[] {
  if (typeof item === "string") return [item];
  const { line, cwd } = item;
  return [...(typeof line === "string" ? [line] : line), ...(cwd === null ? [] : [cwd])];
}

/** Returns the same list when there is nothing new. */
function union<Item extends string | NamedCommand>(
  known: readonly Item[],
  further: readonly Item[],
): readonly Item[] {
  if (further.length === 0) return known;
  const keys = new Set(known.map(keyOf));
  const fresh = further.filter((item) => !keys.has(keyOf(item)));
  return fresh.length === 0 ? known : [...known, ...fresh];
}

function keyOf(item: string | NamedCommand): string {
  return typeof item === "string" ? item : JSON.stringify(item);
}

/** An empty text names nothing. */
function textsOf(value: unknown): readonly string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
