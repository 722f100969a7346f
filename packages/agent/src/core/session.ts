import { randomUUIDv7 } from "node:crypto";
import { errorMessage } from "@landline/system/error-message";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { AgentDefinition } from "../config/config.ts";
import { loopLimits } from "../limits.ts";
import type { ModelInfo } from "../model/model.ts";
import type { StepPart, StepRequest } from "../model/stream.ts";
import { defaultRules } from "../config/default-rules.ts";
import type {
  OfferedOption,
  PermissionRequest,
  Policy,
  SandboxOpenings,
} from "../permission/rule.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { CallIds } from "./tool-call-ids.ts";
import { definitionOf, modelOf, modelOrDefault, type Override } from "./mode-and-model.ts";
import { readCommand, runSubtask, type CommandResult } from "./slash-commands.ts";
import type { PlanExit } from "./user-requests.ts";
import { Permissions } from "./permissions.ts";
import type {
  AgentEvent,
  NewRecord,
  OptionsChanged,
  TransientEvent,
  PermissionLevel,
  SessionRecord,
  UserPart,
} from "./record.ts";
import type { SessionParts } from "./session-parts.ts";
import { SessionProblem } from "./session-problem.ts";
import { rulesInContext } from "./rules-in-context.ts";
import { applyRecord, noUsage, usageSince, type SessionState } from "./state.ts";
import { modeReminder, PLAN_REMINDER, systemPrompt } from "./system-prompt.ts";
import { titleFor } from "./title.ts";
import type { HostedCall, Permitted, StepPlan, TurnHost } from "./turn-host.ts";
import { runTurn, type StopReason, type TurnOutcome } from "./turn.ts";

interface Waiting {
  content: ContentBlock[];
  controller: AbortController;
  resolve(outcome: TurnOutcome): void;
  reject(error: unknown): void;
}

const cancelled: TurnOutcome = { stopReason: "cancelled", usage: noUsage };

/**
 * An open conversation. It runs one turn at a time; further prompts wait in order. A cancel ends the turn and
 * empties the queue. Every event is stored before it is shown.
 */
export class Session implements TurnHost {
  readonly parts: SessionParts;
  readonly state: SessionState;
  /** All records, from the first. */
  readonly records: SessionRecord[];
  /** Shared with subagents, whose calls appear on the same session. */
  readonly callIds: CallIds;
  readonly permissions = new Permissions(this);
  readonly #waiting: Waiting[] = [];
  readonly #closing = new AbortController();
  #running: Waiting | null = null;
  #idle = Promise.resolve();
  #beforeChange: () => Promise<void> = () => Promise.resolve();
  #override: Override = {};
  #isNaming = false;
  #resetFrom: PermissionLevel | null;
  /** The default model at the start of the turn, used until its end. */
  #turnModel: ModelInfo | null = null;

  /** `settled` are records that were added since the file was opened. */
  constructor(parts: SessionParts, state: SessionState, settled: readonly SessionRecord[] = []) {
    this.parts = parts;
    this.state = state;
    this.records = [...parts.file.records, ...settled];
    this.callIds = parts.parent?.callIds ?? new CallIds();
    this.callIds.take(state.calls.keys());
    this.#resetFrom = settled.findLast(isReset)?.resetFrom ?? null;
  }

  /** The level that was reset when the session was opened. Returned once; null afterwards. */
  takeLevelReset(): PermissionLevel | null {
    const level = this.#resetFrom;
    this.#resetFrom = null;
    return level;
  }

  get sessionId(): string {
    return this.state.created.sessionId;
  }

  get workspace(): Workspace {
    return this.parts.workspace;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Throws ModelProblem when the model fails, SessionProblem when the prompt is not accepted. */
  prompt(content: ContentBlock[], signal?: AbortSignal): Promise<TurnOutcome> {
    if (this.#closing.signal.aborted) {
      return Promise.reject(new SessionProblem("session-not-found", "This session was closed."));
    }
    if (this.#waiting.length >= loopLimits.queuedPrompts) {
      const words = `${loopLimits.queuedPrompts} prompts are already waiting. Send it again when some are done.`;
      return Promise.reject(new SessionProblem("session-locked", words));
    }
    if (signal?.aborted) return Promise.resolve(cancelled);
    const { promise, resolve, reject } = Promise.withResolvers<TurnOutcome>();
    const entry = { content, controller: new AbortController(), resolve, reject };
    this.#waiting.push(entry);
    const stop = () => this.#stop(entry);
    signal?.addEventListener("abort", stop, { once: true });
    if (this.#running === null) this.#idle = this.#drain();
    return promise.finally(() => signal?.removeEventListener("abort", stop));
  }

  cancel(): void {
    for (const entry of this.#waiting.splice(0)) entry.resolve(cancelled);
    this.#running?.controller.abort();
  }

  /** Cancels, waits for the end of the turn, and frees everything that the session holds. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.cancel();
    await this.#idle;
    await this.parts.release();
    await this.parts.file[Symbol.asyncDispose]();
  }

  #stop(entry: Waiting): void {
    const index = this.#waiting.indexOf(entry);
    if (index !== -1) this.#waiting.splice(index, 1);
    if (index !== -1) entry.resolve(cancelled);
    else entry.controller.abort();
  }

  async #drain(): Promise<void> {
    for (let entry = this.#waiting.shift(); entry; entry = this.#waiting.shift()) {
      this.#running = entry;
      try {
        entry.resolve(await this.#run(entry.content, entry.controller.signal));
      } catch (error) {
        entry.reject(error);
      }
    }
    this.#running = null;
  }

  async #run(content: ContentBlock[], signal: AbortSignal): Promise<TurnOutcome> {
    const promptId = randomUUIDv7();
    const { usage } = this.state;
    const end = (stopReason: StopReason): TurnOutcome => {
      this.append({ kind: "turn-ended", promptId, stopReason });
      return { stopReason, usage: usageSince(usage, this.state.usage) };
    };
    try {
      const command = await this.#read(promptId, content, signal);
      if (command.kind === "done") return end(command.stopReason);
      const { parts, subagent, ...override } = command;
      this.#override = override;
      const all = [...parts, ...this.#reminders()];
      this.append({ kind: "prompt-sent", promptId, content, parts: all });
      void this.#name(parts);
      await this.#prepared(signal);
      this.#turnModel = this.parts.models.default();
      const stopReason = await this.parts.tracked(this, promptId, async (beforeChange) => {
        this.#beforeChange = beforeChange;
        if (subagent) await runSubtask(this, promptId, subagent, signal);
        return runTurn(this, promptId, signal);
      });
      return end(stopReason);
    } catch (error) {
      if (signal.aborted) return end("cancelled");
      const words = errorMessage(error);
      this.append({ kind: "turn-ended", promptId, stopReason: "failed", error: words });
      throw error;
    } finally {
      this.#override = {};
      this.#turnModel = null;
      await this.parts.file.flush();
    }
  }

  /** The prompt is recorded even if it cannot be read; then it has no parts for the model. */
  async #read(
    promptId: string,
    content: ContentBlock[],
    signal: AbortSignal,
  ): Promise<Exclude<CommandResult, { kind: "none" }>> {
    try {
      const command = await readCommand(this, promptId, content, signal);
      if (command.kind !== "none") return command;
      const parts = await this.parts.readPrompt(content, signal);
      signal.throwIfAborted();
      if (parts.some(isSomething)) return { kind: "expanded", parts };
      throw new SessionProblem("bad-request", "The prompt is empty. Say what you want done.");
    } catch (error) {
      if (this.state.turns.at(-1)?.prompt.promptId !== promptId)
        this.append({ kind: "prompt-sent", promptId, content, parts: [] });
      throw error;
    }
  }

  /** A local model server that is found before the first prompt starts is preferred to the demo. */
  async #prepared(signal: AbortSignal): Promise<void> {
    const { models, mcp } = this.parts;
    if (modelOrDefault(this).provider === "demo") await models.settled();
    await mcp.ready(signal);
  }

  #reminders(): UserPart[] {
    if (this.parts.parent) return [];
    if (this.definition.id === "plan") return [{ type: "text", text: PLAN_REMINDER }];
    const before = this.state.turns.findLast(
      (turn) => turn.prompt.parts.length > 0 && !turn.undone,
    );
    const wasPlan = before?.prompt.parts.some(
      (part) => part.type === "text" && part.text === PLAN_REMINDER,
    );
    return wasPlan ? [{ type: "text", text: modeReminder(this.definition) }] : [];
  }

  /** Runs in the background: the turn does not wait for the title. */
  async #name(parts: UserPart[]): Promise<void> {
    if (this.state.title !== null || this.parts.parent || this.#isNaming) return;
    this.#isNaming = true;
    const text = parts.find((part) => part.type === "text")?.text ?? "";
    const { models } = this.parts;
    const { signal } = this.#closing;
    try {
      const model = await models.open(models.small(this.info));
      const title = await titleFor(text, (request) => this.stream(request), { model, signal });
      if (this.state.title === null && !signal.aborted)
        this.append({ kind: "title-changed", title });
    } catch {
      // Without a model the turn fails too and reports it.
    } finally {
      this.#isNaming = false;
    }
  }

  // The options of the session.

  get definition(): AgentDefinition {
    return definitionOf(this, this.#override);
  }

  /** Throws ModelProblem when the chosen model is not available. */
  get info(): ModelInfo {
    return modelOf(this, this.#override, this.#turnModel ?? this.parts.models.default());
  }

  get #effort(): string | undefined {
    const { effort } = this.root.state;
    return effort === null || effort === "default" ? undefined : effort;
  }

  get policy(): Policy {
    const { user, project } = this.parts.project.config.rules;
    const { rules, untrustedRules } = this.definition;
    return { sources: [user, project, rules, untrustedRules], defaults: defaultRules };
  }

  get isPlanning(): boolean {
    return this.definition.id === "plan";
  }

  /** The ancestors of a subagent, nearest first. It may do nothing that one of them may not. */
  get bounds(): Session[] {
    const { parent } = this.parts;
    return parent ? [parent, ...parent.bounds] : [];
  }

  choose(change: Omit<OptionsChanged, "kind" | "at">): void {
    this.append({ kind: "options-changed", ...change });
  }

  // TurnHost.

  append(record: NewRecord): void {
    const stamped: SessionRecord = { ...record, at: Date.now() };
    this.parts.file.append(stamped);
    this.records.push(stamped);
    applyRecord(this.state, stamped);
    this.#tell(stamped);
  }

  show(event: TransientEvent): void {
    this.#tell(event);
  }

  #tell(event: AgentEvent): void {
    this.parts.listener(this, event);
  }

  stream(request: StepRequest): AsyncIterable<StepPart> {
    return this.parts.stream(request);
  }

  async planStep(): Promise<StepPlan> {
    const { definition, info, policy, parts } = this;
    const model = await parts.models.open(info);
    const tools = await parts.toolsFor({
      info,
      policies: [policy, ...this.bounds.map((bound) => bound.policy)],
      isPlanning: this.isPlanning,
      project: parts.project,
      mcpTools: parts.mcp.tools(),
      questions: parts.user.questions,
      subagents: parts.subagents(this),
      displayedCall: (context) => this.permissions.displayedCall(this.#callOf(context)),
      leavePlan: (context, plan) => this.#leavePlan(context, plan),
      outputs: parts.file.outputs,
      rulesInContext: () => rulesInContext(this.state),
    });
    return {
      info,
      model,
      providerOptions: parts.models.effortOptions(info, this.#effort),
      system: systemPrompt({
        ...parts,
        definition,
        info,
        isHelper: parts.parent !== null,
        day: new Date().toISOString().slice(0, 10),
      }),
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      stepsMax: definition.steps ?? loopLimits.stepsPerTurn,
      compacts: parts.project.config.compaction.auto,
    };
  }

  get level(): PermissionLevel {
    return this.root.state.permissions;
  }

  beforeChange(): Promise<void> {
    return this.#beforeChange();
  }

  withFile<Value>(path: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    return this.parts.locks.withFile(path, work, signal);
  }

  truncate(output: string, callId: string): Promise<string> {
    return this.parts.truncate(output, callId, this.parts.file.outputs);
  }

  ask(
    call: HostedCall,
    requests: readonly PermissionRequest[],
    signal: AbortSignal,
    options?: readonly OfferedOption[],
  ): Promise<Permitted> {
    return this.permissions.ask(call, requests, signal, options);
  }

  openings(): SandboxOpenings {
    return this.permissions.openings();
  }

  /** The session that the user sees. */
  get root(): Session {
    return this.parts.parent?.root ?? this;
  }

  #callOf({ callId }: ToolContext): HostedCall {
    const part = this.state.calls.get(callId);
    if (!part) throw new Error(`There is no call ${callId}.`);
    return part.call;
  }

  async #leavePlan(context: ToolContext, plan: string): Promise<PlanExit> {
    const displayedCall = this.permissions.displayedCall(this.#callOf(context));
    const exit = await this.parts.user.leavePlan(displayedCall, plan, context.signal);
    if (exit === "keep-planning") return exit;
    // Ends plan mode also if a command set it for this turn.
    delete this.#override.mode;
    const permissions = exit === "build-accepting-edits" ? "accept-edits" : "ask";
    this.choose({ mode: "build", permissions });
    return exit;
  }
}

function isReset(record: SessionRecord): record is OptionsChanged {
  return record.kind === "options-changed" && record.resetFrom !== undefined;
}

function isSomething(part: UserPart): boolean {
  return part.type !== "text" || part.text.trim() !== "";
}
