import { resolve } from "node:path";
import { LandlineError } from "@landline/protocol";
import type { AgentConfig } from "../gateway-options.ts";
import { endpointForms, readEndpoint } from "./endpoint-address.ts";

const idShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Parses the value of `--agent`: "name=command args…" or "name=tcp://host:port" and the other addresses. */
export function parseAgentFlag(flag: string): AgentConfig {
  const at = flag.indexOf("=");
  if (at < 0) throw wrong(flag, 'has no "="');
  const id = flag.slice(0, at).trim();
  if (!idShape.test(id))
    throw wrong(flag, "has a name with something other than letters, digits, '.', '_' and '-'");
  const rest = flag.slice(at + 1).trim();
  if (/^[a-z]+:\/\//.test(rest)) {
    readEndpoint(rest);
    return { id, endpoint: rest };
  }
  const [command, ...args] = splitWords(rest, flag);
  if (command === undefined || command === "") throw wrong(flag, "has no command");
  // Relative to the current folder, not to the folder of a session.
  return { id, command: command.includes("/") ? resolve(command) : command, args };
}

/** Splits words like a shell: with quotes and backslashes, but without expansion. */
function splitWords(text: string, flag: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (character === "\\" && quote !== "'") {
      if (index + 1 === text.length) throw wrong(flag, "ends with a backslash");
      // Inside double quotes, a backslash is literal unless the next character is special there.
      const backslash: string = quote === '"' && !/["\\$`]/.test(next) ? character : "";
      word = `${word ?? ""}${backslash}${next}`;
      index++;
    } else if (quote === null && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (character === quote) {
      quote = null;
    } else if (quote === null && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== null) throw wrong(flag, `has a ${quote} that is not closed`);
  if (word !== null) words.push(word);
  return words;
}

function wrong(flag: string, problem: string): LandlineError {
  return new LandlineError("invalid-params", {
    message: `--agent "${flag.slice(0, 200)}" ${problem}.`,
    help: `Write it as --agent "name=command args…" or --agent "name=ADDRESS", with an address as ${endpointForms}.`,
  });
}
