import { REFUSED_BY_PERSON } from "../../permission/rule.ts";
import type { Instruction } from "./grammar.ts";
import type { Outcome } from "./answer-builder.ts";

/** Maximum characters of a tool output that the demo model quotes. */
const quoteCharactersMax = 1_200;

/** The text after a tool call: what was done, and the tool's output. */
export function answerTo(one: Instruction, outcome: Outcome | undefined): string {
  if (outcome === undefined) return "The tool gave no answer.";
  if (outcome.failed && outcome.text === REFUSED_BY_PERSON) return "You said no, so I left it.";
  if (outcome.failed) return `That did not work:\n\n${quoted(outcome.text)}`;
  return said(one, outcome.text);
}

function said(one: Instruction, text: string): string {
  switch (one.verb) {
    case "list":
      return `In ${one.path === undefined ? "this folder" : `\`${one.path}\``}:\n\n${quoted(text)}`;
    case "read":
      return `\`${one.file}\` says:\n\n${quoted(text)}`;
    case "search":
      return `“${one.pattern}” is found here:\n\n${quoted(text)}`;
    case "find":
      return `Files like \`${one.pattern}\`:\n\n${quoted(text)}`;
    case "replace":
      return `I replaced “${one.from}” with “${one.to}” in \`${one.file}\`.`;
    case "create":
      return `I wrote \`${one.file}\`.`;
    case "run":
      return text.trim() === "" ? "It ran, and printed nothing." : `It ran:\n\n${quoted(text)}`;
    case "fetch":
      return `From ${one.url}:\n\n${quoted(text)}`;
    case "delegate":
      return `The subagent came back with:\n\n${quoted(taskText(text))}`;
    case "ask":
      return `The answer:\n\n${quoted(text)}`;
    case "mcp":
      return `\`${one.tool}\` of ${one.server} answered:\n\n${quoted(text)}`;
    default:
      return quoted(text);
  }
}

/** Removes the tags that the task tool puts around a subagent's answer. */
function taskText(text: string): string {
  return /^<task [^>]*>\n([\s\S]*)\n<\/task>\s*<task_metadata>/.exec(text)?.[1] ?? text;
}

export function planned(items: number, done: number): string {
  if (done === items) return `All ${items} steps of the plan are done.`;
  return `${done} of ${items} steps of the plan are done; the others stay open.`;
}

export function notUnderstood(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  const start = line.length > 80 ? `${line.slice(0, 79)}…` : line;
  return start === ""
    ? "There was no text in that."
    : `I can't do “${start}”: I understand a few fixed sentences, and nothing else.`;
}

/** The text in a code block whose fence is longer than any run of backticks in it, truncated. */
export function quoted(text: string): string {
  const whole = text.trimEnd();
  const cut = whole.slice(0, quoteCharactersMax);
  const longest = [...cut.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  const rest = whole.length - cut.length;
  return `${fence}\n${cut}\n${fence}${rest > 0 ? `\n\n(${rest} more characters are left out.)` : ""}`;
}
