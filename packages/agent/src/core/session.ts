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
  PassingEvent,
  PermissionLevel,
  SessionRecord,
  UserPart,
} from "./record.ts";
import type { SessionParts } from "./session-parts.ts";
import { SessionProblem } from "./session-problem.ts";
import { shownRules } from "./rules-in-context.ts";
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
 * A conversation that is open. One turn at a time: further prompts wait, in order, and each gets its
 * own answer. Cancelling ends the turn and empties the queue. Everything that happens is kept in its
 * file before it is shown.
 */
export class Session implements TurnHost {
  readonly parts: SessionParts;
  readonly state: SessionState;
  /** Everything that was kept, from the first. */
  readonly records: SessionRecord[];
  /** One set for a session and its helpers: their calls stand side by side on the screen. */
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
  /** Where nobody chose a model: a turn ends with the one that it began with, whatever is found meanwhile. */
  #turnModel: ModelInfo | null = null;

  /** `settled` is what was added to the file's records since it was opened. */
  constructor(parts: SessionParts, state: SessionState, settled: readonly SessionRecord[] = []) {
    this.parts = parts;
    this.state = state;
    this.records = [...parts.file.records, ...settled];
    this.callIds = parts.parent?.callIds ?? new CallIds();
    this.callIds.take(state.calls.keys());
    this.#resetFrom = settled.findLast(isReset)?.resetFrom ?? null;
  }

  /** The level that ended when the session was opened, for the one who tells the person; null after that. */
  takeReset(): PermissionLevel | null {
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

  /** Throws ModelProblem when the model fails, SessionProblem when it can't be taken. */
  prompt(content: ContentBlock[], signal?: AbortSignal): Promise<TurnOutcome> {
    if (this.#closing.signal.aborted) {
      return Promise.reject(new SessionProblem("session-not-found", "This session was closed."));
    }
    if (this.#waiting.length >= loopLimits.queuedPrompts) {
      const words = `${loopLimits.queuedPrompts} prompts are waiting already. Send it again when some are done.`;
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

  /** Nothing happens when nothing runs. */
  cancel(): void {
    for (const entry of this.#waiting.splice(0)) entry.resolve(cancelled);
    this.#running?.controller.abort();
  }

  /** Cancels, waits for the turn to end, and lets go of everything that belongs to the session. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.cancel();
    await this.#idle;
    await this.parts.release();
    await this.parts.file[Symbol.asyncDispose]();
  }

  #stop(entry: Waiting): void {
    const place = this.#waiting.indexOf(entry);
    if (place !== -1) this.#waiting.splice(place, 1);
    if (place !== -1) entry.resolve(cancelled);
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
      this.keep({ kind: "turn-ended", promptId, stopReason });
      return { stopReason, usage: usageSince(usage, this.state.usage) };
    };
    try {
      const command = await this.#read(promptId, content, signal);
      if (command.kind === "done") return end(command.stopReason);
      const { parts, subagent, ...override } = command;
      this.#override = override;
      const all = [...parts, ...this.#reminders()];
      this.keep({ kind: "prompt-sent", promptId, content, parts: all });
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
      this.keep({ kind: "turn-ended", promptId, stopReason: "failed", error: words });
      throw error;
    } finally {
      this.#override = {};
      this.#turnModel = null;
      await this.parts.file.flush();
    }
  }

  /** What was sent is kept, also when it can't be read; the model then has no part in it. */
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
      throw new SessionProblem("bad-request", "The prompt is empty. Say what is to be done.");
    } catch (error) {
      if (this.state.turns.at(-1)?.prompt.promptId !== promptId)
        this.keep({ kind: "prompt-sent", promptId, content, parts: [] });
      throw error;
    }
  }

  /** A server on this machine may be found while the first prompt waits: it goes before the demo. */
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

  /** In the background: a conversation does not wait for its name. */
  async #name(parts: UserPart[]): Promise<void> {
    if (this.state.title !== null || this.parts.parent || this.#isNaming) return;
    this.#isNaming = true;
    const text = parts.find((part) => part.type === "text")?.text ?? "";
    const { models } = this.parts;
    const { signal } = this.#closing;
    try {
      const model = await models.open(models.small(this.info));
      const title = await titleFor(text, (request) => this.stream(request), { model, signal });
      if (this.state.title === null && !signal.aborted) this.keep({ kind: "title-changed", title });
    } catch {
      // Without a model there is no turn either, and that is said there.
    } finally {
      this.#isNaming = false;
    }
  }

  // The choices of the session.

  get definition(): AgentDefinition {
    return definitionOf(this, this.#override);
  }

  /** Throws ModelProblem when the model that was chosen can't be used. */
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

  /** The sessions that this one helps, the nearest first: what they may not do, it may not. */
  get bounds(): Session[] {
    const { parent } = this.parts;
    return parent ? [parent, ...parent.bounds] : [];
  }

  choose(change: Omit<OptionsChanged, "kind" | "at">): void {
    this.keep({ kind: "options-changed", ...change });
  }

  // What a turn needs.

  keep(record: NewRecord): void {
    const stamped: SessionRecord = { ...record, at: Date.now() };
    this.parts.file.append(stamped);
    this.records.push(stamped);
    applyRecord(this.state, stamped);
    this.#tell(stamped);
  }

  show(event: PassingEvent): void {
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
      questions: parts.people.questions,
      subagents: parts.subagents(this),
      screen: (context) => this.permissions.screen(this.#callOf(context)),
      leavePlan: (context, plan) => this.#leavePlan(context, plan),
      outputs: parts.file.outputs,
      shownRules: () => shownRules(this.state),
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

  /** The session that people see. */
  get root(): Session {
    return this.parts.parent?.root ?? this;
  }

  #callOf({ callId }: ToolContext): HostedCall {
    const part = this.state.calls.get(callId);
    if (!part) throw new Error(`There is no call ${callId}.`);
    return part.call;
  }

  async #leavePlan(context: ToolContext, plan: string): Promise<PlanExit> {
    const screen = this.permissions.screen(this.#callOf(context));
    const exit = await this.parts.people.leavePlan(screen, plan, context.signal);
    if (exit === "keep-planning") return exit;
    // A command may have chosen plan mode for this turn: it is over now.
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
