import { evictOldest } from "@landline/system/evict-oldest";
import { randomUUIDv7 } from "node:crypto";
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import {
  acpMeta,
  type Actor,
  type AskOpened,
  type GatewayReason,
  LandlineError,
  type PermissionOpened,
  sandboxRequest,
} from "@landline/protocol";
import { collectRuleInput } from "./rule-input.ts";
import {
  type AskOutcome,
  cancelledOutcome,
  checkOutcome,
  forAgent,
  withoutContent,
  isAllowed,
  isPermissionOutcome,
  isQuestionOutcome,
  isRejected,
  outcomeByRule,
  withoutSecrets,
} from "./request-outcome.ts";
import type { CallNames } from "../../tool-calls/call-names.ts";
import type { SessionContext } from "../session-context.ts";
import { PendingRequest, type PendingRequestOptions } from "./pending-request.ts";
import type { NamedCalls } from "./named-calls.ts";
import { checkQuestionRequest } from "../elicitation/question.ts";
import { mustNotBecomeRule, onlyPerson, ruleToRemember } from "./rule-from-answer.ts";
import type { RuleInput, NewRule } from "./rule.ts";
import type { Rules } from "./rules.ts";
import type { RuleSuggestions } from "./suggest-rules.ts";

export interface UserRequestOptions {
  /** What the tool calls of the turn named. */
  readonly calls: NamedCalls;
  /** Called for each permission that a person or a rule granted. */
  readonly allowed?: (askId: string, toolCall: ToolCallUpdate) => void;
  /** Called with the time that each ask waited. */
  readonly settled?: (waitedMs: number) => void;
}

export interface OpenAsk {
  readonly askId: string;
  readonly ask: AskOpened["ask"];
  readonly openedAt: number;
  readonly child: string | null;
}

/** A request of the gateway itself, and why no rule allows it. Each reason is a clause. */
interface PersonRequest extends Pick<RequestPermissionRequest, "toolCall" | "options"> {
  readonly reasons: readonly string[];
}

interface Settled {
  readonly outcome: AskOutcome;
  readonly by: Actor;
}

/**
 * The permission requests and questions of one session. Each is recorded when it opens, and settled exactly once, in the log
 * first: by the first valid answer, by a rule, or by the gateway with a reason. The agent always gets an answer.
 */
export class UserRequests {
  readonly #context: SessionContext;
  readonly #rules: Rules;
  readonly #options: UserRequestOptions;
  readonly #open = new Map<string, PendingRequest>();
  /** Permission requests that are being compared with the rules. */
  readonly #deciding = new Map<string, Promise<void>>();
  /** The last settled asks, oldest first. */
  readonly #settled = new Map<string, Settled>();

  constructor(context: SessionContext, rules: Rules, options: UserRequestOptions) {
    this.#context = context;
    this.#rules = rules;
    this.#options = options;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get open(): readonly OpenAsk[] {
    return [...this.#open.values()].map(({ opened, openedAt }) => ({
      askId: opened.askId,
      ask: opened.ask,
      openedAt,
      child: opened.child ?? null,
    }));
  }

  /** `child` is the agent's id of the child session that asks. Aborting `signal` cancels it. */
  async permission(
    params: RequestPermissionRequest,
    child: string | undefined,
    signal: AbortSignal,
  ): Promise<{ outcome: RequestPermissionOutcome }> {
    const { toolCall, options } = params;
    const opened: PermissionOpened = {
      ...this.#head(child),
      ask: "permission",
      toolCall,
      options,
    };
    // Landline's own agent marks the requests of its sandbox.
    const isForPerson = toolCall._meta?.[sandboxRequest] !== undefined;
    const outcome = await this.#decided(this.#hold(opened, { signal, isForPerson }), opened);
    return { outcome: isPermissionOutcome(outcome) ? forAgent(outcome) : { outcome: "cancelled" } };
  }

  /**
   * A permission request of the gateway itself. Rules may deny it, but only a person allows it. `optionId` is null if
   * no option was chosen. Without a signal, it stays open when the turn or the agent ends.
   */
  async ofPerson(
    { toolCall, options, reasons }: PersonRequest,
    child: string | null,
    signal?: AbortSignal,
  ): Promise<{ readonly askId: string; readonly optionId: string | null }> {
    const opened: PermissionOpened = {
      ...this.#head(child ?? undefined),
      ask: "permission",
      toolCall,
      options,
    };
    const outlivesTurn = signal === undefined;
    const held = this.#hold(opened, {
      signal: signal ?? new AbortController().signal,
      isForPerson: true,
      outlivesTurn,
    });
    const outcome = await this.#decided(held, opened, reasons);
    const isChosen = isPermissionOutcome(outcome) && outcome.outcome === "selected";
    return { askId: opened.askId, optionId: isChosen ? outcome.optionId : null };
  }

  /** `reasons`: why no rule can allow it. */
  async #decided(
    held: PendingRequest,
    opened: PermissionOpened,
    reasons: readonly string[] = [],
  ): Promise<AskOutcome> {
    this.#namesOf(opened);
    const deciding = this.#decide(held, opened, reasons).catch(
      () => void this.#cancel(held, "policy"),
    );
    this.#deciding.set(opened.askId, deciding);
    await deciding;
    this.#deciding.delete(opened.askId);
    return held.outcome;
  }

  async question(
    params: CreateElicitationRequest,
    child: string | undefined,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    checkQuestionRequest(params);
    const opened = { ...this.#head(child), ask: "question", request: params } as const;
    const held = this.#hold(opened, { signal });
    const outcome = await held.outcome;
    return isQuestionOutcome(outcome) ? forAgent(outcome) : { action: "cancel" };
  }

  /**
   * A rejection is stored with its note; see `mustReject`. Throws `ask-not-found`, `ask-already-settled`,
   * `option-not-offered` or `invalid-params`.
   */
  answer(askId: string, outcome: AskOutcome, by: string, note?: string): void {
    const held = this.#open.get(askId) ?? this.#notOpen(askId);
    checkOutcome(held.opened, outcome);
    const { opened } = held;
    if (held.isForPerson) mustNotBecomeRule(outcome);
    const rule =
      opened.ask === "permission"
        ? ruleToRemember(this.#context, { opened, names: this.#namesOf(opened) }, outcome, by)
        : null;
    this.#settle(held, outcome, { client: by }, note);
    if (rule !== null) void this.#keep(rule);
  }

  /** Throws `invalid-params` unless the answer clearly rejects the open ask. */
  mustReject(askId: string, outcome: AskOutcome): void {
    const { opened } = this.#open.get(askId) ?? this.#notOpen(askId);
    checkOutcome(opened, outcome);
    if (isRejected(opened, outcome)) return;
    throw new LandlineError("invalid-params", {
      message: "Only a rejection can have a note.",
      help: "Answer without the note, and send the note as a prompt; the request is still open.",
      data: { field: "note" },
    });
  }

  /** Rules that would have answered an open permission with allow. Throws as `answer` does. */
  async suggestRules(askId: string): Promise<RuleSuggestions> {
    // An existing rule may be about to answer.
    await this.#deciding.get(askId);
    const { opened, isForPerson } = this.#open.get(askId) ?? this.#notOpen(askId);
    if (isForPerson) return { rules: [], reason: `${onlyPerson}.` };
    if (opened.ask !== "permission")
      throw new LandlineError("invalid-params", {
        message: "This is a question. Rules answer only permission requests.",
        data: { field: "askId" },
      });
    if (outcomeByRule("allow", opened.options) === null)
      return { rules: [], reason: "The agent offers no option that clearly allows it." };
    const { suggestRules } = await import("./suggest-rules.ts");
    return suggestRules(await collectRuleInput(this.#context, this.#namesOf(opened)));
  }

  /** The agent reports that the page of a question is done. False if no such question is open. */
  complete(elicitationId: string): boolean {
    const held = this.#open.values().find(({ opened }) => elicitationOf(opened) === elicitationId);
    if (held === undefined) return false;
    this.#settle(held, { action: "accept" }, { gateway: "completed" });
    return true;
  }

  /** Cancels the asks of the turn. If the log rejects an event, it throws after it has answered all of them. */
  settleTurn(reason: "turn-cancelled" | "turn-ended" | "agent-gone"): void {
    this.#cancelEach(reason, ({ outlivesTurn }) => !outlivesTurn);
  }

  /** Cancels all open asks; otherwise like `settleTurn`. */
  settleAll(reason: "turn-cancelled" | "turn-ended" | "agent-gone" | "timeout"): void {
    this.#cancelEach(reason, () => true);
  }

  #cancelEach(reason: GatewayReason, isMeant: (held: PendingRequest) => boolean): void {
    const open = [...this.#open.values()].filter(isMeant);
    const failures = open.flatMap((held) => this.#cancel(held, reason));
    if (failures.length > 0) throw failures[0];
  }

  #head(child: string | undefined) {
    const kind = "ask-opened" as const;
    return { kind, askId: randomUUIDv7(), ...(child === undefined ? {} : { child }) };
  }

  #hold(
    opened: AskOpened,
    options: Omit<PendingRequestOptions, "waitMs" | "over">,
  ): PendingRequest {
    const { limits } = this.#context;
    if (this.#open.size >= limits.asksOpen)
      throw new LandlineError("rate-limited", {
        message: `${limits.asksOpen} requests are already open.`,
        help: "Wait until some of them are answered.",
      });
    this.#context.record(opened);
    const held: PendingRequest = new PendingRequest(opened, {
      ...options,
      waitMs: limits.askMs,
      over: (reason) => void this.#cancel(held, reason),
    });
    this.#open.set(opened.askId, held);
    if (options.signal.aborted) held.withdraw();
    return held;
  }

  /** Throws if the log rejects the event. */
  async #decide(
    held: PendingRequest,
    opened: PermissionOpened,
    reasons: readonly string[],
  ): Promise<void> {
    this.#explain(held, reasons);
    if (this.#rules.list().length === 0) return;
    const facts = await this.#settledFacts(opened);
    if (facts === null) return;
    const decided = this.#rules.decide(facts);
    if (held.isForPerson && decided?.decision !== "deny") return;
    if (decided === null) this.#explain(held, this.#rules.uncoveredReasons(facts));
    if (decided === null || decided.decision === "ask") return;
    const outcome = outcomeByRule(decided.decision, opened.options);
    if (outcome === null) return;
    const inWords = { [acpMeta.rule]: await this.#rules.describe(decided.rule) };
    this.#settle(held, { ...outcome, _meta: inWords }, { rule: decided.rule.id });
  }

  /** Null if the agent keeps changing the call; then a person decides. */
  async #settledFacts(opened: PermissionOpened): Promise<RuleInput | null> {
    for (let tries = 0; tries < 3; tries += 1) {
      const names = this.#namesOf(opened);
      const facts = await collectRuleInput(this.#context, names);
      if (this.#namesOf(opened) === names) return facts;
    }
    return null;
  }

  #namesOf({ toolCall, child }: PermissionOpened): CallNames {
    return this.#options.calls.asked(toolCall, child ?? null);
  }

  /** Paths in the session's folder are shown relative to it. */
  #explain({ opened: { askId } }: PendingRequest, given: readonly string[]): void {
    const reasons = given.map((reason) => reason.replaceAll(`${this.#context.cwd}/`, ""));
    if (reasons.length > 0 && this.#open.has(askId))
      this.#context.record({ kind: "ask-explained", askId, reasons });
  }

  /** Does nothing if the ask is settled. If the log rejects the event, it throws, and the ask stays open. */
  #settle(held: PendingRequest, outcome: AskOutcome, by: Actor, note?: string): void {
    const { askId } = held.opened;
    if (!this.#open.delete(askId)) return;
    const said = note === undefined ? {} : { note };
    try {
      const kept = withoutSecrets(held.opened, outcome);
      this.#context.record({ kind: "ask-settled", askId, outcome: kept, by, ...said });
    } catch (error) {
      this.#open.set(askId, held);
      throw error;
    }
    if (isAllowed(held.opened, outcome)) this.#options.allowed?.(askId, held.opened.toolCall);
    this.#resolve(held, outcome, by);
  }

  /** Answers the agent even if the log rejects the event. Returns the errors of the log. */
  #cancel(held: PendingRequest, reason: GatewayReason): readonly unknown[] {
    const outcome = cancelledOutcome(held.opened.ask);
    const by = { gateway: reason };
    try {
      this.#settle(held, outcome, by);
      return [];
    } catch (error) {
      this.#open.delete(held.opened.askId);
      this.#resolve(held, outcome, by);
      return [error];
    }
  }

  #resolve(held: PendingRequest, outcome: AskOutcome, by: Actor): void {
    this.#remember(held.opened.askId, { outcome: withoutContent(outcome), by });
    held.resolve(outcome);
    this.#options.settled?.(Date.now() - held.openedAt);
  }

  #remember(askId: string, settled: Settled): void {
    this.#settled.set(askId, settled);
    evictOldest(this.#settled, this.#context.limits.asksRemembered);
  }

  #notOpen(askId: string): never {
    const settled = this.#settled.get(askId);
    if (settled === undefined) throw new LandlineError("ask-not-found");
    throw new LandlineError("ask-already-settled", {
      data: { by: settled.by, outcome: settled.outcome },
    });
  }

  /** The ask is already settled, so a rule that cannot be saved only causes an error event in the session. */
  async #keep(rule: NewRule): Promise<void> {
    try {
      await this.#rules.add(rule);
    } catch (error) {
      const { code, message, help } =
        error instanceof LandlineError ? error : new LandlineError("internal-error");
      const words = `The rule was not saved: ${message}`;
      try {
        this.#context.record({ kind: "error", code, message: words, help });
      } catch {
        // The log reports its own failure to its owner.
      }
    }
  }
}

function elicitationOf(opened: AskOpened): unknown {
  return opened.ask === "question" && opened.request.mode === "url"
    ? opened.request["elicitationId"]
    : undefined;
}
