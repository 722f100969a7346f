import type { Access, Opening } from "./opening.ts";
import { quoted } from "./quoted-path.ts";

/** The text that a person reads before a command runs outside its sandbox. */
export interface LeavingText {
  /** Every denial and everything that the option would open, one per line. */
  readonly text: string;
  /** The denials, each as a clause. */
  readonly clauses: readonly string[];
  /** Everything that the opening option opens. Empty if there is no such option. */
  readonly opens: readonly string[];
  readonly options: readonly LeavingOption[];
}

/** One answer that a person can choose. `open` applies to the session, the others only to this command. */
export interface LeavingOption {
  readonly id: "outside" | "open" | "open-once" | "reject";
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
}

interface OpeningOption {
  readonly name: string;
  readonly isOnce: boolean;
  readonly opens: readonly string[];
}

export function leavingText(openings: readonly Opening[]): LeavingText {
  const clauses = openings.map(({ what }) => `the sandbox kept it from ${what}`);
  const option = optionFor(openings);
  const lines = [
    ...openings.map(({ what }) => `The sandbox kept it from ${what}.`),
    ...(option?.opens ?? []).map((words) => `You can allow ${lasting(option)}: ${words}.`),
    ...Array.from(new Set(openings.flatMap(notesOn)), (note) => `Note that ${note}.`),
    "If you allow it, the command runs again from the beginning.",
  ];
  const options: LeavingOption[] = [
    { id: "outside", name: "Run outside the sandbox once", kind: "allow_once" },
    ...(option === null ? [] : [openingOption(option)]),
    { id: "reject", name: "Reject", kind: "reject_once" },
  ];
  return { text: lines.join("\n"), clauses, opens: option?.opens ?? [], options };
}

function openingOption({ name, isOnce }: OpeningOption): LeavingOption {
  return isOnce
    ? { id: "open-once", name, kind: "allow_once" }
    : { id: "open", name, kind: "allow_always" };
}

/** Further notes for the person, each as a clause. */
export function notesOn({ kind, target, what, adds, protection, wasOpen }: Opening): string[] {
  if (target === null) return [];
  if (kind === "network")
    return wasOpen ? ["the host is open to programs that use the proxy of the sandbox"] : [];
  return [
    ...(protection === null ? [] : [protection]),
    ...(wasOpen ? [`${what} was allowed in the sandbox and failed`] : []),
    ...(adds || wasOpen ? [] : [`${quoted(target)} cannot be opened in the sandbox by itself`]),
  ];
}

export function accessWords(access: Access, path: string, isFolder = false): string {
  const does = access === "read" ? "reading" : "changing";
  return `${does} ${isFolder ? "any file in " : ""}${quoted(path)}`;
}

/** For the paths in `SandboxPolicy.opened`, where the program has full access. */
export function unguardedWords(path: string, isFolder = false): string {
  return `reading and changing ${isFolder ? "any file in " : ""}${quoted(path)}`;
}

/** Longer texts are not offered, because a client may truncate them. */
export const wordsMax = 500;

/** More is too much to read before pressing one button. */
const opensMax = 8;

/** Longer texts do not fit on a button. The text lists them. */
const nameCharacters = 120;

/** Null if some of them cannot be opened. */
function optionFor(openings: readonly Opening[]): OpeningOption | null {
  if (openings.length === 0 || openings.some(({ adds }) => adds === null)) return null;
  const opens = [...new Set(openings.map(({ addsWhat }) => addsWhat))];
  if (opens.length > opensMax) return null;
  const option = { opens, isOnce: openings.some(({ isOnce }) => isOnce) };
  const all = opens.join(" and ");
  const isNamed = opens.length === 1 || all.length <= nameCharacters;
  const what = isNamed ? all : `these ${opens.length}`;
  return { ...option, name: `Allow ${what} ${lasting(option)}` };
}

function lasting(option: Pick<OpeningOption, "isOnce"> | null): string {
  return option?.isOnce === true ? "once" : "in this session";
}
