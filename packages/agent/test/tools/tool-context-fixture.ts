import type { Client } from "../../src/acp/acp-client.ts";
import type { NewRecord } from "../../src/core/record.ts";
import type { PermissionRequest } from "../../src/permission/rule.ts";
import type { ToolContext, ToolView } from "../../src/tools/tool.ts";
import { FileLocks } from "../../src/workspace/file-locks.ts";
import { openWorkspace } from "../../src/workspace/open-workspace.ts";
import { openScratch, type Scratch } from "../workspace/scratch-project.ts";

/** A project with a real workspace that records what tools ask, show and append. */
export interface ToolContextFixture extends AsyncDisposable {
  readonly scratch: Scratch;
  readonly context: ToolContext;
  readonly asked: PermissionRequest[];
  readonly shown: Partial<ToolView>[];
  readonly kept: NewRecord[];
  readonly controller: AbortController;
  /** Answers permission requests; throws to refuse. */
  decide: (request: PermissionRequest) => void | Promise<void>;
}

export async function openToolContext(client: Client | null = null): Promise<ToolContextFixture> {
  const scratch = await openScratch();
  const workspace = openWorkspace({
    client,
    sessionId: "session",
    cwd: scratch.project,
    directories: [],
  });
  const controller = new AbortController();
  const locks = new FileLocks();
  const fixture: ToolContextFixture = {
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
        fixture.asked.push(...requests);
        for (const request of requests) await fixture.decide(request);
      },
      choose: () => Promise.resolve(null),
      openings: () => ({ write: [], read: [], hosts: [] }),
      ranConfined: () => undefined,
      progress: (view) => void fixture.shown.push(view),
      append: (record) => void fixture.kept.push(record),
      knownFile: () => null,
      withFile: (path, work) => locks.withFile(path, work, controller.signal),
    },
    async [Symbol.asyncDispose]() {
      await workspace.close();
      await scratch[Symbol.asyncDispose]();
    },
  };
  return fixture;
}
