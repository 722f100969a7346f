import { tmpdir } from "node:os";
import type { PermissionRequest } from "../../src/permission/rule.ts";
import type { ToolContext, ToolView } from "../../src/tools/tool.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

/** A context that allows everything and records what tools asked for and showed. */
export function toolContext(signal: AbortSignal = new AbortController().signal): ToolContext & {
  asked: PermissionRequest[];
  shown: Partial<ToolView>[];
} {
  const asked: PermissionRequest[] = [];
  const shown: Partial<ToolView>[] = [];
  const unused = (): never => {
    throw new Error("not used here");
  };
  return {
    asked,
    shown,
    sessionId: "session",
    promptId: "prompt",
    callId: "call",
    signal,
    // Custom tools only use the folder that their paths are relative to.
    workspace: { cwd: tmpdir() } as Workspace,
    level: "ask",
    ask(request) {
      asked.push(request);
      return Promise.resolve();
    },
    choose: unused,
    openings: unused,
    ranConfined: unused,
    progress: (view) => void shown.push(view),
    append: unused,
    knownFile: unused,
    withFile: unused,
  };
}
