import { randomUUIDv7 } from "node:crypto";
import { ModelProblem, type ModelInfo } from "../model/model.ts";
import { StoreProblem, type SessionFile, type SessionStore } from "../session/store.ts";
import type { SubagentResult, Subagents, SubagentTask } from "../tools/registry.ts";
import { textContent, ToolFailure, type ToolContext } from "../tools/tool.ts";
import { contextMeasure } from "./context-size.ts";
import { endInterruptedTurns } from "./interrupted-turns.ts";
import type { AgentEvent, Compacted, SessionRecord, StepEnded, SubagentSpent } from "./record.ts";
import { Session } from "./session.ts";
import { foldRecords, newState, type SessionState, type Step } from "./state.ts";

/** Titles of a subagent's calls that its `task` call shows. Older ones are counted. */
const titlesMax = 20;

/**
 * The subagents of a session. Each works in its own session with its parent's workspace, MCP servers and
 * user, never has more rights, and ends with the call that started it.
 */
export function subagentsOf(store: SessionStore, session: Session): Subagents | null {
  const { agents, subagentDepth } = session.parts.project.config;
  if (depthOf(session) >= subagentDepth) return null;
  const known = agents.filter((agent) => agent.role !== "primary" && !agent.hidden);
  return {
    types: () => known.map(({ id, description }) => ({ id, description })),
    async run(task, context) {
      if (!known.some((agent) => agent.id === task.type)) {
        const names = known.map((agent) => agent.id).join(", ");
        throw new ToolFailure(
          "tool-not-found",
          `There is no subagent ${task.type}. There are: ${names}.`,
        );
      }
      const { file, state, settled } = await openChild(store, session, task, context);
      await using _held = file;
      const parts = {
        ...partsOfChild(session, file, context),
        subagents: (child: Session) => subagentsOf(store, child),
      };
      return await runChild(new Session(parts, state, settled), task, context);
    },
  };
}

function depthOf(session: Session): number {
  return session.parts.parent ? depthOf(session.parts.parent) + 1 : 0;
}

interface OpenChild {
  file: SessionFile;
  state: SessionState;
  settled: SessionRecord[];
}

async function openChild(
  store: SessionStore,
  session: Session,
  task: SubagentTask,
  context: ToolContext,
): Promise<OpenChild> {
  const { taskId } = task;
  if (taskId === null) return createChild(store, session, task, context);
  const file = await store.open(taskId).catch((error: unknown) => {
    if (isLocked(error)) throw new ToolFailure("session-locked", BUSY);
    return null;
  });
  const state = file ? foldRecords(file.records) : null;
  const problem = taskProblem(state, session, task);
  if (!file || !state || problem !== null) {
    await file?.[Symbol.asyncDispose]();
    throw new ToolFailure("session-not-found", problem ?? noTask(taskId));
  }
  const settled = endInterruptedTurns(state);
  for (const record of settled) file.append(record);
  return { file, state, settled };
}

const BUSY = "That task is already running. Wait for its answer, or leave task_id out.";

function isLocked(error: unknown): boolean {
  return error instanceof StoreProblem && error.reason === "session-locked";
}

/** A task may not continue as another subagent type, which may have other rights. */
function taskProblem(
  state: SessionState | null,
  session: Session,
  task: SubagentTask,
): string | null {
  const parent = state?.created.parent;
  if (parent?.sessionId !== session.sessionId) return noTask(task.taskId ?? "");
  if (parent.agent === task.type) return null;
  return `That task belongs to the helper ${parent.agent}. Give that as subagent_type, or leave task_id out.`;
}

function noTask(taskId: string): string {
  return `There is no task ${taskId} of this session. Leave task_id out to start a new one.`;
}

async function createChild(
  store: SessionStore,
  session: Session,
  task: SubagentTask,
  context: ToolContext,
): Promise<OpenChild> {
  const { cwd, roots } = session.workspace;
  const created = {
    kind: "session-created" as const,
    version: 1 as const,
    at: Date.now(),
    sessionId: randomUUIDv7(),
    cwd,
    directories: roots.slice(1),
    parent: { sessionId: session.sessionId, callId: context.callId, agent: task.type },
  };
  return { file: await store.create(created), state: newState(created), settled: [] };
}

function partsOfChild(session: Session, file: SessionFile, context: ToolContext) {
  const titles: string[] = [];
  const { info } = session;
  const listener = (child: Session, event: AgentEvent) => {
    session.parts.listener(child, event);
    // Nested subagents report through here too; their usage is already in their parent's.
    if (child.parts.parent === session && isSpending(event)) {
      spend(session, event, context.callId, info);
    }
    // Changes of a subagent are undone with the prompt of its parent.
    if (event.kind === "file-changed") {
      const { promptId, callId } = context;
      const { at: _at, ...change } = event;
      session.append({ ...change, promptId, callId });
    }
    if (event.kind !== "tool-called") return;
    titles.push(event.view.title);
    const text = titleList(titles);
    context.progress({ content: textContent(text) });
  };
  return { ...session.parts, file, parent: session, taskCallId: context.callId, listener };
}

type Spending = StepEnded | Compacted | SubagentSpent;

function isSpending(event: AgentEvent): event is Spending {
  const { kind } = event;
  return kind === "step-ended" || kind === "compacted" || kind === "subagent-spent";
}

function spend(session: Session, { usage, cost }: Spending, callId: string, info: ModelInfo): void {
  if (!usage && !cost) return;
  session.append({
    kind: "subagent-spent",
    callId,
    ...(usage && { usage }),
    ...(cost && { cost }),
  });
  const measure = contextMeasure(session.state, info);
  if (measure) session.show(measure);
}

function titleList(titles: readonly string[]): string {
  const older = titles.length - titlesMax;
  const shown = titles.slice(-titlesMax).map((title) => `- ${title}`);
  return [...(older > 0 ? [`- (${older} calls before)`] : []), ...shown].join("\n");
}

async function runChild(
  child: Session,
  task: SubagentTask,
  context: ToolContext,
): Promise<SubagentResult> {
  if (child.state.title === null) {
    child.append({ kind: "title-changed", title: `${task.description} (@${task.type} subagent)` });
  }
  const { stopReason } = await answerOf(child, task, context);
  context.signal.throwIfAborted();
  const steps = child.state.turns.at(-1)?.steps ?? [];
  const said = steps.map(textOf).findLast((text) => text.trim() !== "") ?? "(It said nothing.)";
  const ended = stopReason === "end_turn" ? "" : `\n\n(The helper stopped early: ${stopReason}.)`;
  return {
    sessionId: child.sessionId,
    modelId: child.info.id,
    text: said + ended,
    summary: steps.flatMap(callsOf),
  };
}

/** When its model fails, the subagent's work is kept: another call can continue it. */
async function answerOf(child: Session, task: SubagentTask, context: ToolContext) {
  try {
    return await child.prompt([{ type: "text", text: task.prompt }], context.signal);
  } catch (error) {
    if (!(error instanceof ModelProblem)) throw error;
    const next = `What it did is kept: give task_id ${child.sessionId} to go on from there.`;
    const words = `The helper's model failed: ${error.message} ${next}`;
    throw new ToolFailure("failed", words, { sessionId: child.sessionId });
  }
}

function textOf(step: Step): string {
  return step.parts.flatMap((part) => (part.type === "text" ? [part.record.text] : [])).join("\n");
}

function callsOf(step: Step): SubagentResult["summary"] {
  return step.parts.flatMap((part) => {
    if (part.type !== "tool") return [];
    const { callId, tool, view } = part.call;
    return [{ callId, tool, title: view.title, status: part.result?.status ?? "failed" }];
  });
}
