import { viewRows } from "../limits/view.ts";
import type { TerminalExited, TerminalOpened, TerminalRestarted } from "../events.ts";
import { confinementOf, editorOf } from "../execution.ts";
import type { TerminalView } from "../view.ts";
import type { ToolCallItem } from "../view/item.ts";
import type { Draft, Mutable } from "./draft.ts";
import { numberOf, recordOf, stringOf, type Raw } from "../raw-value.ts";

const terminalTextLength = viewRows.terminalTextLength.default;
const terminalsKept = viewRows.terminalsKept.default;

/**
 * A terminal keeps the end of its output: at `terminalTextLength` the oldest quarter is dropped, which keeps the cost
 * linear. Only the latest `terminalsKept` terminals keep their text.
 */
export function foldTerminalOpened(
  draft: Draft,
  event: Omit<TerminalOpened, "kind">,
  by: TerminalView["by"] = "landline",
): void {
  const { terminalId, command, args, cwd } = event;
  const confinement = confinementOf(event.confinement);
  const editor = editorOf(event.editor);
  const opened = {
    command,
    args,
    cwd,
    by,
    ...(confinement === undefined ? {} : { confinement }),
    ...(editor === null ? {} : { editor }),
  };
  const known = draft.lookup.terminals.get(terminalId);
  if (known !== undefined) {
    const terminal = changeTerminal(draft, known);
    if (terminal !== undefined) Object.assign(terminal, opened);
    return;
  }
  const terminals = draft.list(draft.view.terminals);
  draft.view.terminals = terminals;
  const position = terminals.push(
    draft.adopt({
      terminalId,
      first: draft.seq,
      last: draft.seq,
      ...opened,
      text: "",
      truncated: false,
      exit: null,
    }),
  );
  draft.lookup.terminals.set(terminalId, position - 1);
  forgetText(draft, position - 1 - terminalsKept);
}

/** Keeps the output of the previous run. */
export function foldTerminalRestarted(draft: Draft, event: TerminalRestarted): void {
  const terminal = terminalOf(draft, event.terminalId);
  const confinement = confinementOf(event.confinement);
  if (terminal === undefined || confinement === undefined) return;
  if (confinement === null) terminal.hasLeftSandbox = true;
  terminal.confinement = confinement;
  terminal.exit = null;
  if (typeof event.ask === "string") terminal.restartAsk = event.ask;
}

export function foldTerminalOutput(
  draft: Draft,
  terminalId: string,
  output: unknown,
  by: TerminalView["by"] = "landline",
): void {
  const terminal = terminalOf(draft, terminalId, by);
  if (terminal === undefined) return;
  // Output that is stored as a blob is too long to show here.
  if (typeof output !== "string") terminal.truncated = true;
  else if (terminal.text.length + output.length <= terminalTextLength) terminal.text += output;
  else {
    terminal.text = tail(terminal.text + output, Math.floor((terminalTextLength * 3) / 4));
    terminal.truncated = true;
  }
}

export function foldTerminalExited(
  draft: Draft,
  event: Omit<TerminalExited, "kind">,
  by: TerminalView["by"] = "landline",
): void {
  const terminal = terminalOf(draft, event.terminalId, by);
  if (terminal !== undefined) terminal.exit = { exitCode: event.exitCode, signal: event.signal };
}

/**
 * Agents that run commands themselves (Codex) report them as terminals of their own, with the output in `_meta` of
 * the tool call.
 */
export function foldToolTerminal(draft: Draft, item: ToolCallItem, update: Raw): void {
  const meta = recordOf(update["_meta"]);
  if (meta === null) return;
  const info = recordOf(meta["terminal_info"]);
  const opened = ownTerminal(draft, info);
  if (opened !== null) {
    const command = stringOf(recordOf(item.rawInput)?.["command"]) ?? item.title;
    const cwd = stringOf(info?.["cwd"]) ?? "";
    foldTerminalOpened(draft, { terminalId: opened, command, args: [], cwd }, "agent");
  }
  for (const name of ["terminal_output", "terminal_output_delta"]) {
    const output = recordOf(meta[name]);
    const terminalId = ownTerminal(draft, output);
    if (terminalId !== null) foldTerminalOutput(draft, terminalId, output?.["data"] ?? "", "agent");
  }
  const exit = recordOf(meta["terminal_exit"]);
  const exited = ownTerminal(draft, exit);
  if (exited === null) return;
  const end = { exitCode: numberOf(exit?.["exit_code"]), signal: stringOf(exit?.["signal"]) };
  foldTerminalExited(draft, { terminalId: exited, ...end }, "agent");
}

/** Returns null for a terminal of the gateway, because agents cannot change it. */
function ownTerminal(draft: Draft, value: Raw | null): string | null {
  const terminalId = stringOf(value?.["terminal_id"]);
  if (terminalId === null) return null;
  const known = draft.view.terminals[draft.lookup.terminals.get(terminalId) ?? -1];
  return known?.by === "landline" ? null : terminalId;
}

/** Creates the terminal if only output is known: the event that opened it may have been trimmed. */
function terminalOf(
  draft: Draft,
  terminalId: string,
  by: TerminalView["by"] = "landline",
): Mutable<TerminalView> | undefined {
  if (!draft.lookup.terminals.has(terminalId)) {
    foldTerminalOpened(draft, { terminalId, command: "", args: [], cwd: "" }, by);
  }
  return changeTerminal(draft, draft.lookup.terminals.get(terminalId) ?? -1);
}

function changeTerminal(draft: Draft, position: number): Mutable<TerminalView> | undefined {
  const known = draft.view.terminals[position];
  if (known === undefined) return undefined;
  const terminals = draft.list(draft.view.terminals);
  const terminal = draft.part(known);
  terminal.last = draft.seq;
  terminals[position] = terminal;
  draft.view.terminals = terminals;
  return terminal;
}

function forgetText(draft: Draft, position: number): void {
  const old = draft.view.terminals[position];
  if (old === undefined || old.text === "") return;
  const terminal = changeTerminal(draft, position);
  if (terminal !== undefined) Object.assign(terminal, { text: "", truncated: true });
}

/** The last `length` characters, or one fewer to avoid splitting a surrogate pair. */
function tail(text: string, length: number): string {
  const start = text.length - length;
  const code = text.charCodeAt(start);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? start + 1 : start);
}
