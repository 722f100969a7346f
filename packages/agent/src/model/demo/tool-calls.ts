import { matchToolName } from "../sdk-tools.ts";
import type { Instruction } from "./grammar.ts";
import type { Call } from "./answer-builder.ts";

export function todos(
  items: readonly string[],
  done: ReadonlySet<number>,
  current: number | undefined,
): Call {
  const statusOf = (index: number) => {
    if (done.has(index)) return "completed";
    return index === current ? "in_progress" : "pending";
  };
  return {
    tool: "todowrite",
    input: {
      todos: items.map((content, index) => ({
        content,
        status: statusOf(index),
        priority: "medium",
      })),
    },
  };
}

/** `tool` is undefined when it is not offered. */
type WantedCall = { tool: string | undefined; wanted: string; input: Record<string, unknown> };

export function callOf(one: Instruction, tools: readonly string[]): WantedCall {
  const call = (wanted: string, input: Record<string, unknown>): WantedCall => ({
    tool: matchToolName(wanted, tools),
    wanted,
    input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  });
  switch (one.verb) {
    case "list":
      return call("list", { path: one.path });
    case "read":
      return call("read", { filePath: one.file, offset: one.offset, limit: one.limit });
    case "search":
      return call("grep", { pattern: one.pattern, path: one.path });
    case "find":
      return call("glob", { pattern: one.pattern, path: one.path });
    case "replace":
      return call("edit", {
        filePath: one.file,
        oldString: one.from,
        newString: one.to,
        replaceAll: one.all ? true : undefined,
      });
    case "create":
      return call("write", { filePath: one.file, content: one.text });
    case "run":
      return call("bash", { command: one.command, description: `Runs ${brief(one.command)}` });
    case "fetch":
      return call("webfetch", { url: one.url, format: "markdown" });
    case "delegate":
      return call("task", {
        description: brief(one.prompt),
        prompt: one.prompt,
        subagent_type: "explore",
      });
    case "ask":
      return call("question", { questions: [questionOf(one.question, one.options)] });
    case "mcp":
      return call(`${one.server}_${one.tool}`, one.input);
    default:
      return { tool: undefined, wanted: one.verb, input: {} };
  }
}

export function questionOf(question: string, options: readonly string[]) {
  return {
    question,
    header: "Your answer",
    options: options.map((label) => ({ label, description: label })),
  };
}

function brief(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.length > 30 ? `${line.slice(0, 29)}…` : line;
}
