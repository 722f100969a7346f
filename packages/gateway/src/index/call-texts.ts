import { namesOf } from "../tool-calls/call-names.ts";
import { shellLine } from "@landline/system/shell-words";
import { fairShares } from "./fair-shares.ts";
import { cleanText, clipText } from "./clean-text.ts";

/** The texts that a tool call names, cleaned and bounded for the tables. */
export interface CallTexts extends Readonly<Record<List, readonly string[]>> {
  /** Whether some texts were omitted. */
  readonly isCut: boolean;
}

/** Maximum lengths of one text per list. `others` may be commands or paths; `unknown` says why the call may do more. */
const lengths = {
  titles: 1_024,
  kinds: 100,
  toolNames: 100,
  commands: 16_384,
  paths: 4_096,
  urls: 4_096,
  others: 4_096,
  unknown: 200,
} as const;

type List = keyof typeof lengths;
type Lists = Readonly<Record<List, readonly string[]>>;

/** Maximum number of texts per list. */
const textsKept = 100;

export const noTexts: CallTexts = {
  titles: [],
  kinds: [],
  toolNames: [],
  commands: [],
  paths: [],
  urls: [],
  others: [],
  unknown: [],
  isCut: false,
};

/** Reads the texts of one message. Commands are quoted as shell lines. */
export function readCallTexts(toolCall: object): CallTexts {
  const { names: toolNames, commands: lines, areUrlsKnown, ...names } = namesOf(toolCall);
  const commands: string[] = [];
  const verbs: string[] = [];
  for (const { line, isEditorVerb } of lines)
    (isEditorVerb ? verbs : commands).push(typeof line === "string" ? line : shellLine(line));
  const folders = lines.flatMap(({ cwd }) => cwd ?? []);
  return bounded({
    ...names,
    toolNames,
    commands,
    paths: [...names.paths, ...folders],
    others: [...verbs, ...names.others],
    unknown: [
      ...names.unread,
      ...names.unknown,
      ...(areUrlsKnown ? [] : ["it names an invalid URL"]),
    ],
  });
}

/** Merges both; returns the first when the second has nothing new. */
export function mergedTexts(known: CallTexts, further: CallTexts): CallTexts {
  const isSame = !further.isCut || known.isCut;
  const isKnown = (list: List) => further[list].every((text) => known[list].includes(text));
  if (isSame && listNames.every(isKnown)) return known;
  const isCut = known.isCut || further.isCut;
  return bounded(
    mapLists((list) => [...known[list], ...further[list]]),
    isCut,
  );
}

/** Limits the total characters so that long lists and texts do not displace short ones. */
export function shareOut(texts: CallTexts, length: number): CallTexts {
  const shares = fairShares(
    listNames.map((list) => sizeOf(texts[list])),
    length,
  );
  let { isCut } = texts;
  const lists = mapLists((list, index) => {
    const share = shares[index] ?? 0;
    if (sizeOf(texts[list]) <= share) return texts[list];
    isCut = true;
    return cutTo(texts[list], share);
  });
  return { ...lists, isCut };
}

const listNames = Object.keys(lengths) as readonly List[];

function mapLists(listOf: (list: List, index: number) => readonly string[]): Lists {
  const entries = listNames.map((list, index) => [list, listOf(list, index)]);
  return Object.fromEntries(entries) as Lists;
}

function bounded(lists: Lists, wasCut = false): CallTexts {
  let isCut = wasCut;
  const kept = mapLists((list) => {
    const texts = new Set(lists[list].map((text) => cleanText(clipText(text, lengths[list]))));
    texts.delete("");
    if (texts.size > textsKept || lists[list].some(({ length }) => length > lengths[list]))
      isCut = true;
    return firstAndLast([...texts]);
  });
  return { ...kept, isCut };
}

/** Keeps the newest too, so that a call cannot hide its command behind earlier names. */
function firstAndLast(texts: readonly string[]): readonly string[] {
  return texts.length <= textsKept
    ? texts
    : [...texts.slice(0, textsKept / 2), ...texts.slice(-textsKept / 2)];
}

/** Adds one for each text, so that empty texts count too. */
function sizeOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length + 1, 0);
}

function cutTo(texts: readonly string[], length: number): readonly string[] {
  const shares = fairShares(
    texts.map((text) => text.length + 1),
    length,
  );
  const cut = texts.map((text, index) => clipText(text, Math.max(0, (shares[index] ?? 0) - 1)));
  return cut.filter((text) => text !== "");
}
