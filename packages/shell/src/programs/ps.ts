import type { ProgramSpec } from "../arguments/program-spec.ts";

/** One option of ps with its value, or one word without a dash. */
interface PsWord {
  /** Letters of flags with a dash. */
  readonly flags?: string;
  /** Letters of flags without a dash, as in `ps aux`. */
  readonly berkeley?: string;
  readonly format?: string;
  /** The name of a user, group or terminal, which may not exist. */
  readonly name?: string;
  readonly isForest?: boolean;
  /** How many words it takes. */
  readonly used: 1 | 2;
}

const columns = /^[a-z%_]+(?::\d+)?(?:=[\w %]*)?(?:,[a-z%_]+(?::\d+)?(?:=[\w %]*)?)*$/i;
const numbers = /^\d+(?:,\d+)*$/;
const names = /^[\w.,:@/-]+$/;
const sortKeys = /^[-+]?[a-z%_]+(?:,[-+]?[a-z%_]+)*$/i;

/** Words without a separate value. */
function readAlone(text: string): PsWord | null {
  if (/^-[AaeFfHjLlw]+$/.test(text)) return { flags: text.slice(1), used: 1 };
  // BSD flags with a dash: because of `-x`, all words are parsed without their dash.
  if (/^-[acfjluvwx]*x[acfjluvw]*$/.test(text)) return { flags: text.slice(1), used: 1 };
  if (/^[acfghjlmnrSTuvwxX]+$/.test(text)) return { berkeley: text, used: 1 };
  if (text === "--forest") return { isForest: true, used: 1 };
  const isPlain =
    /^--(?:no-headers?|no-heading|headers?|headings?|cumulative|version|help(?:=\w+)?)$/.test(text);
  return isPlain || numbers.test(text) ? { used: 1 } : null;
}

/** Options that take a value, and what the value may be. */
function readPair(name: string, value: string, used: 1 | 2): PsWord | null {
  if (/^-[AaeFfHjLlwx]*[oO]$/.test(name))
    return columns.test(value) ? { flags: name.slice(1, -1), format: value, used } : null;
  if (/^[acfjluwx]*[oO]$/.test(name))
    return columns.test(value) ? { berkeley: name.slice(0, -1), format: value, used } : null;
  if (name === "--format") return columns.test(value) ? { format: value, used } : null;
  if (/^(?:-p|p|--pid|--ppid|--cols|--columns|--width|--rows|--lines)$/.test(name))
    return numbers.test(value) ? { used } : null;
  if (/^(?:--sort|k)$/.test(name)) return sortKeys.test(value) ? { used } : null;
  if (!/^(?:-[AaFfHjLlw]*[uUGtgsC]|--(?:user|User|group|Group|tty)|U|t)$/.test(name)) return null;
  return names.test(value)
    ? { flags: /^-[A-Za-z]/.test(name) ? name.slice(1, -1) : "", name: value, used }
    : null;
}

function readWord(texts: readonly string[], at: number): PsWord | null {
  const text = texts[at] ?? "";
  const [, long, attached] = /^(--[A-Za-z]+)=(.*)$/s.exec(text) ?? [];
  if (long !== undefined && attached !== undefined)
    return readAlone(text) ?? readPair(long, attached, 1);
  return readAlone(text) ?? readPair(text, texts[at + 1] ?? "", 2);
}

/**
 * If words with a dash are invalid, because a user does not exist or options conflict, ps parses them without the dash.
 * `e` then shows the environment of processes.
 */
function showsEnvironment(read: readonly PsWord[]): boolean {
  const all = (key: "flags" | "berkeley" | "format") =>
    read.flatMap((word) => word[key] ?? []).join("");
  const flags = all("flags");
  const formats =
    flags.replaceAll(/[^Ffjl]/g, "").length +
    read.filter(({ format }) => format !== undefined).length;
  const isMixed = all("berkeley") !== "" && flags !== "";
  const isTree = flags.includes("H") || read.some(({ isForest }) => isForest);
  const named = read.flatMap(({ name }) => name ?? []);
  const mayBeReadAgain =
    named.length > 0 ||
    /[uvx]/.test(flags) ||
    formats > 1 ||
    isMixed ||
    (isTree && flags.includes("L"));
  const hasLetter =
    flags.includes("e") ||
    named.some((name) => /^[a-z]*e[a-z]*$/i.test(name) && !/[bdiqyz]/i.test(name));
  return /env/i.test(all("format")) || (mayBeReadAgain && hasLetter);
}

/** Shows processes with their arguments. Words without a dash are options too, and `e` among them shows more. */
export const ps: ProgramSpec = {
  read(words, record) {
    const open = words.find(({ known }) => known !== "fixed");
    if (open) return record.fail(`the word ${open.text} is not known before it runs`);
    const texts = words.map(({ text }) => text);
    const read: PsWord[] = [];
    for (let at = 0; at < texts.length; at += read.at(-1)?.used ?? 1) {
      const word = readWord(texts, at);
      if (!word) {
        if (/e/i.test(texts[at] ?? "")) record.effect("environment");
        return record.fail(`the word ${texts[at] ?? ""} of ps is not known`);
      }
      read.push(word);
    }
    if (showsEnvironment(read)) record.effect("environment");
  },
};
