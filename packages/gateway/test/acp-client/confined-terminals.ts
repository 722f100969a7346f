import { homedir } from "node:os";
import { join } from "node:path";
import { isSkipped } from "../../../sandbox/test/skipped.ts";
import { usualTerminalSandbox } from "../../src/gateway-options.ts";
import type { SessionContext } from "../../src/acp-client/session-context.ts";
import { TerminalSandbox } from "../../src/acp-client/terminals/terminal-sandbox.ts";
import { TerminalSandboxes } from "../../src/acp-client/terminals/terminal-sandboxes.ts";

/** The ways in which terminals are tested. */
export const ways: readonly { readonly way: string; readonly isConfined: boolean }[] = [
  { way: "not confined", isConfined: false },
  ...(isSkipped ? [] : [{ way: "confined", isConfined: true }]),
];

/** Searching for a sandbox runs a program in it: once per test. */
let latest: { readonly folder: string; readonly sandboxes: TerminalSandboxes } | null = null;

/** The sandbox of the terminals of a session whose agent has no policy. */
export function usualSandbox(context: SessionContext): TerminalSandbox {
  const home = homedir();
  const folder = join(context.cwd, "..", "data");
  if (latest?.folder !== folder)
    latest = { folder, sandboxes: new TerminalSandboxes({ home, folder }) };
  return new TerminalSandbox(context, latest.sandboxes, usualTerminalSandbox);
}
