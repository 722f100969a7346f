import { errorMessage } from "@landline/system/error-message";
import { loopLimits } from "../limits.ts";
import { type Approval, byNobody, mainApproval } from "../permission/approval.ts";
import {
  type OfferedOption,
  PermissionRefused,
  type PermissionRequest,
} from "../permission/rule.ts";
import { missingTool } from "../tools/missing-tool.ts";
import {
  textContent,
  ToolFailure,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../tools/tool.ts";
import { FileProblem, type RanConfined } from "../workspace/workspace.ts";
import type { NewRecord } from "./record.ts";
import { knownFile, seenFiles } from "./seen-files.ts";
import type { StepCall } from "./step.ts";
import type { TurnHost } from "./turn-host.ts";

/** How long cancelled tools may take to stop. Then they count as interrupted. */
const stopToolsMs = 2_000;

type Ending = Omit<Extract<NewRecord, { kind: "tool-ended" }>, "kind" | "callId" | "execution">;

export interface CallsToRun {
  promptId: string;
  tools: ReadonlyMap<string, Tool>;
  calls: readonly StepCall[];
  /** Ids of calls that the model repeated too often. */
  repeated?: ReadonlySet<string>;
  signal: AbortSignal;
}

/**
 * Runs the calls of one answer in parallel, up to a limit; calls on the same file run in order. Never throws.
 */
export async function runCalls(host: TurnHost, run: CallsToRun): Promise<void> {
  const waiting = run.calls.values();
  /** The last call on each file. */
  const lastOf = new Map<string, Promise<void>>();
  const work = async () => {
    for (const call of waiting) {
      const files = filesOf(call);
      const earlier = files.flatMap((file) => lastOf.get(file) ?? []);
      const ended = Promise.all(earlier).then(() => runCall(host, run, call));
      for (const file of files) lastOf.set(file, ended);
      await ended;
    }
  };
  const workers = Math.min(run.calls.length, loopLimits.callsAtOnce);
  await Promise.all(Array.from({ length: workers }, work));
}

const fileKinds: ReadonlySet<string> = new Set(["read", "edit", "delete", "move"]);

/** A second edit of a file in one answer assumes the text after the first. */
function filesOf({ view }: StepCall): string[] {
  return fileKinds.has(view.kind) ? view.locations.map(({ path }) => path) : [];
}

/** Ends a call exactly once, whatever the tool does. Later events of the tool are ignored. */
async function runCall(host: TurnHost, run: CallsToRun, call: StepCall): Promise<void> {
  const life: Life = {
    hasEnded: false,
    approvals: [],
    confinement: null,
    hasLeftSandbox: false,
  };
  const ending = await endingOf(host, run, call, life);
  life.hasEnded = true;
  const { approvals, confinement, hasLeftSandbox } = life;
  const execution = {
    confinement,
    ...(hasLeftSandbox && { hasLeftSandbox }),
    approval: mainApproval(approvals),
  };
  host.append({ kind: "tool-ended", callId: call.callId, ...ending, execution });
}

async function endingOf(
  host: TurnHost,
  { promptId, tools, repeated, signal }: CallsToRun,
  call: StepCall,
  life: Life,
): Promise<Ending> {
  try {
    signal.throwIfAborted();
    const tool = tools.get(call.tool);
    if (!tool) throw missingTool(call.tool);
    const input = await inputOf(tool, call);
    if (repeated?.has(call.callId)) {
      const { approval } = await host.ask(call, [repeatedRequest(call.tool)], signal);
      life.approvals.push(approval);
    }
    const context = contextOf(host, promptId, call, signal, life);
    const result = await unlessStopped(runTool(host, tool, input, context), signal);
    return await completed(host, call, result);
  } catch (error) {
    if (!signal.aborted) return failed(error);
    const isExplained = error instanceof ToolFailure && error.reason === "stopped";
    return stopped(isExplained ? error.message : skipReasons.stopped);
  }
}

interface Life {
  hasEnded: boolean;
  /** What allowed each of its requests. */
  readonly approvals: Approval[];
  /** The confinement of its last run. */
  confinement: RanConfined | null;
  hasLeftSandbox: boolean;
}

async function inputOf(tool: Tool, call: StepCall): Promise<unknown> {
  if (call.problem !== null) throw wrongInput(call.tool, call.problem);
  const parsed = tool.input.safeParse(call.input);
  if (parsed.success) return parsed.data;
  const { z } = await import("zod");
  throw wrongInput(call.tool, z.prettifyError(parsed.error));
}

const readOnlyKinds: ReadonlySet<string> = new Set([
  "read",
  "search",
  "think",
  "fetch",
  "switch_mode",
]);

async function runTool(
  host: TurnHost,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  // The calls of a subagent (`think`) report their own changes.
  if (!readOnlyKinds.has(tool.kind)) await host.beforeChange();
  context.signal.throwIfAborted();
  return tool.run(input, context);
}

function wrongInput(tool: string, problem: string): ToolFailure {
  const message = `The input for ${tool} can't be used:\n${problem}\nCall it again with input that fits its schema.`;
  return new ToolFailure("invalid-input", message);
}

function repeatedRequest(tool: string) {
  return {
    permission: "doom_loop",
    patterns: [tool],
    always: [tool],
    view: {
      title: `Call ${tool} again with the same input, for the ${loopLimits.repeatedCalls + 1}th time?`,
    },
  };
}

function contextOf(
  host: TurnHost,
  promptId: string,
  call: StepCall,
  signal: AbortSignal,
  life: Life,
): ToolContext {
  let isRunning = false;
  const running = () => {
    if (!isRunning && !life.hasEnded) host.show({ kind: "tool-running", callId: call.callId });
    isRunning = true;
  };
  const permit = async (
    requests: readonly PermissionRequest[],
    options?: readonly OfferedOption[],
  ) => {
    const { approval, option } = await host.ask(call, requests, signal, options);
    life.approvals.push(approval);
    running();
    return option;
  };
  return {
    sessionId: host.state.created.sessionId,
    promptId,
    callId: call.callId,
    signal,
    workspace: host.workspace,
    get level() {
      return host.level;
    },
    async ask(...requests) {
      if (requests.length > 0) await permit(requests);
    },
    choose: (requests, options) => permit(requests, options),
    openings: () => host.openings(),
    ranConfined(confinement) {
      life.hasLeftSandbox ||= life.confinement !== null && confinement === null;
      life.confinement = confinement;
    },
    progress(view) {
      if (life.hasEnded) return;
      running();
      host.show({ kind: "tool-progressed", callId: call.callId, view });
    },
    append(record) {
      // A file change after the end is recorded too, so that it can be undone.
      if (!life.hasEnded || record.kind === "file-changed") host.append(record);
    },
    knownFile: (path) => knownFile(seenFiles(host.state), path),
    withFile: (path, work) => host.withFile(path, signal, work),
  };
}

/** A tool that ignores its signal is abandoned after a while, so that a cancel takes effect. */
function unlessStopped<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    timer = setTimeout(() => reject(new Error("stopped")), stopToolsMs);
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  });
}

async function completed(host: TurnHost, call: StepCall, result: ToolResult): Promise<Ending> {
  const output = await host.truncate(result.output, call.callId);
  const { attachments, terminalId, title, locations, metadata } = result;
  return {
    status: "completed",
    output,
    content: result.content ?? textContent(output),
    rawOutput: { output, metadata: metadata ?? {} },
    ...(attachments && { attachments }),
    ...(terminalId !== undefined && { terminalId }),
    ...(title !== undefined && { title }),
    ...(locations && { locations }),
  };
}

const skipReasons = {
  stopped: "(The person stopped it.)",
  "turn-over": "(It was not run: the turn ended with this answer.)",
  "broken-off": "(It was not run: the connection broke off. Call it again if it is still needed.)",
} as const;

/** Ends calls that will not run. */
export function endSkippedCalls(
  host: TurnHost,
  calls: readonly StepCall[],
  why: keyof typeof skipReasons,
): void {
  for (const { callId } of calls)
    host.append({ kind: "tool-ended", callId, ...stopped(skipReasons[why]), execution: notRun });
}

const notRun = { confinement: null, approval: byNobody };

function stopped(output: string): Ending {
  return {
    status: "failed",
    output,
    content: [],
    rawOutput: { error: output, reason: "cancelled" },
    reason: "cancelled",
  };
}

function failed(error: unknown): Ending {
  const { message, shown = message, reason, metadata } = describe(error);
  return {
    status: "failed",
    output: message,
    content: textContent(shown),
    rawOutput: { error: shown, reason, ...(metadata && { metadata }) },
    reason,
  };
}

function describe(error: unknown): {
  message: string;
  /** What the user sees, if it differs from the message. */
  shown?: string;
  reason: string;
  metadata?: Record<string, unknown>;
} {
  if (error instanceof ToolFailure) return error;
  if (error instanceof FileProblem) return error;
  if (error instanceof PermissionRefused) {
    const { message, shown, by } = error;
    return { message, shown, reason: by === "rule" ? "tool-disabled" : "rejected" };
  }
  return {
    message: `It failed: ${errorMessage(error)}`,
    reason: "failed",
  };
}
