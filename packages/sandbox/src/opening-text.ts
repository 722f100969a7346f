import type { Access, Opening } from "./opening.ts";
import { quoted } from "./quoted-path.ts";

/** What a person reads before a command leaves its sandbox. */
export interface LeavingText {
  /** Everything that was denied, and everything that the option would open, a line each. */
  readonly text: string;
  /** Each thing that was denied, as a clause. */
  readonly clauses: readonly string[];
  /** All that the option which opens it opens; empty where there is no such option. */
  readonly opens: readonly string[];
  readonly options: readonly LeavingOption[];
}

/** What a person can answer. `open` is for the session, the others for this command alone. */
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
    "If you allow it, the command runs again from its beginning.",
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

/** What a person has to know of it besides, each as a clause. */
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

/** Of what `SandboxPolicy.opened` names: nothing is kept from the program there. */
export function unguardedWords(path: string, isFolder = false): string {
  return `reading and changing ${isFolder ? "any file in " : ""}${quoted(path)}`;
}

/** Longer ones are not opened: a client may cut them. */
export const wordsMax = 500;

/** Nobody reads more before they press one button. */
const opensMax = 8;

/** Several that are longer do not fit on a button: the text lists them. */
const nameCharacters = 120;

/** Null where not all of it can be opened. */
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
