import type { TerminalView } from "@landline/protocol";
import { toolSubject } from "./tool-subject.ts";

/** The command of a terminal as typed in a shell. */
export function terminalCommand(terminal: TerminalView): string {
  const call = { title: "", kind: "execute", content: [], locations: [], rawInput: null };
  const subject = toolSubject(call, terminal);
  const line = subject.type === "command" ? subject.line : "";
  return typeof line === "string" && line !== "" ? line : "A command";
}
