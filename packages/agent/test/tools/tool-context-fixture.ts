import type { Client } from "../../src/acp/acp-client.ts";
import type { NewRecord } from "../../src/core/record.ts";
import type { PermissionRequest } from "../../src/permission/rule.ts";
import type { ToolContext, ToolView } from "../../src/tools/tool.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";
import { openWorkspace } from "../../src/workspace/open-workspace.ts";
import { openScratch, type Scratch } from "../workspace/scratch-project.ts";

/** A project with a real workspace, and everything that a tool asked for, showed and kept. */
export interface ToolRig extends AsyncDisposable {
  readonly scratch: Scratch;
  readonly context: ToolContext;
  readonly asked: PermissionRequest[];
  readonly shown: Partial<ToolView>[];
  readonly kept: NewRecord[];
  readonly controller: AbortController;
  /** Answers the next questions; a throw is a no. */
  decide: (request: PermissionRequest) => void | Promise<void>;
}

export async function openToolRig(client: Client | null = null): Promise<ToolRig> {
  const scratch = await openScratch();
  const workspace = openWorkspace({
    client,
    sessionId: "session",
    cwd: scratch.project,
    directories: [],
  });
  const controller = new AbortController();
  const locks = new FileLocks();
  const rig: ToolRig = {
    scratch,
    asked: [],
    shown: [],
    kept: [],
    controller,
    decide: () => undefined,
    context: {
      sessionId: "session",
      promptId: "prompt",
      level: "ask",
      callId: "call-1",
      signal: controller.signal,
      workspace,
      async ask(...requests) {
        rig.asked.push(...requests);
        for (const request of requests) await rig.decide(request);
      },
      choose: () => Promise.resolve(null),
      openings: () => ({ write: [], read: [], hosts: [] }),
      ranConfined: () => undefined,
      progress: (view) => void rig.shown.push(view),
      keep: (record) => void rig.kept.push(record),
      knownFile: () => null,
      withFile: (path, work) => locks.withFile(path, work, controller.signal),
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
      await scratch[Symbol.asyncDispose]();
    },
  };
  return rig;
}
