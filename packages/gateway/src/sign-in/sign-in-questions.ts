import { randomUUIDv7 } from "node:crypto";
import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import { LandlineError, type AgentProgress, type Limits } from "@landline/protocol";
import type { AgentRequest } from "../acp-connection/agent-request.ts";
import {
  cancelledOutcome,
  checkOutcome,
  forAgent,
  isQuestionOutcome,
} from "../acp-client/permissions/request-outcome.ts";
import { PendingRequest } from "../acp-client/permissions/pending-request.ts";
import { checkQuestionRequest } from "../acp-client/elicitation/question.ts";

/** Clients may render the question recursively. */
const DEPTH_MAX = 32;
const TEXT_MAX = 1_000;

export type QuestionShown = Pick<AgentProgress, "message" | "url" | "question" | "questionId">;

export interface SignInQuestionsOptions {
  readonly limits: Pick<Limits, "signInQuestionMs" | "signInQuestionLength">;
  /** Replaces what people see. */
  show(shown: QuestionShown): void;
}

/**
 * The questions of an agent during a sign-in, one at a time. Each is settled once: by the first valid answer, by
 * `elicitation/complete`, or with `cancel` when the agent withdraws it, `signInQuestionMs` passes or the sign-in
 * ends. Answers contain secrets, so they are neither stored nor shown.
 */
export class SignInQuestions {
  readonly #options: SignInQuestionsOptions;
  #open: PendingRequest | null = null;
  /** The part of the latest question that stays visible after its answer. */
  #shown: QuestionShown = { message: "" };
  /** The previous question and who answered it. */
  #answered: { readonly questionId: string; readonly by: string } | null = null;
  #isOver = false;

  constructor(options: SignInQuestionsOptions) {
    this.#options = options;
  }

  /** Throws the error for the agent if the question is not allowed. */
  ask(request: AgentRequest): void {
    const question = request.params as CreateElicitationRequest;
    this.#check(question);
    const opened = { kind: "ask-opened", askId: randomUUIDv7(), ask: "question" } as const;
    const held: PendingRequest = new PendingRequest(
      { ...opened, request: question },
      {
        signal: request.signal,
        waitMs: this.#options.limits.signInQuestionMs,
        over: () => this.#settle(held, { action: "cancel" }),
      },
    );
    this.#open = held;
    this.#shown = { message: messageOf(question), ...pageOf(question) };
    this.#options.show({ ...this.#shown, question, questionId: opened.askId });
    void held.outcome.then((outcome) =>
      request.answer(isQuestionOutcome(outcome) ? forAgent(outcome) : cancelledOutcome("question")),
    );
    if (request.signal.aborted) held.withdraw();
  }

  /** Throws `ask-not-found`, `ask-already-settled` or `invalid-params`. The error never contains the answer. */
  answer(outcome: CreateElicitationResponse, questionId: string | undefined, by: string): void {
    const held = this.#open;
    if (held === null || (questionId ?? held.opened.askId) !== held.opened.askId)
      throw this.#notOpen(questionId);
    checkOutcome(held.opened, outcome);
    this.#answered = { questionId: held.opened.askId, by };
    this.#settle(held, outcome);
  }

  /** The agent reports that the page of a URL question is done. */
  complete(elicitationId: unknown): void {
    const held = this.#open;
    if (held === null || held.opened.ask !== "question") return;
    const { request } = held.opened;
    if (request.mode === "url" && request["elicitationId"] === elicitationId)
      this.#settle(held, { action: "accept" });
  }

  /** Cancels the open question and refuses new ones. */
  close(): void {
    this.#isOver = true;
    if (this.#open !== null) this.#settle(this.#open, { action: "cancel" });
  }

  #settle(held: PendingRequest, outcome: CreateElicitationResponse): void {
    if (this.#open !== held) return;
    this.#open = null;
    // Keep the page's URL visible: the agent still waits for the page.
    this.#options.show(this.#shown);
    held.resolve(outcome);
  }

  #check(question: CreateElicitationRequest): void {
    if (this.#isOver) throw new LandlineError("request-cancelled");
    if (this.#open !== null)
      throw new LandlineError("rate-limited", {
        message: "A question of this sign-in is already open.",
        help: "Ask one question at a time.",
      });
    checkQuestionRequest(question);
    const { signInQuestionLength } = this.#options.limits;
    if (isDeeper(question, DEPTH_MAX) || JSON.stringify(question).length > signInQuestionLength)
      throw new LandlineError("invalid-params", {
        message: `The question can't be asked: it is longer than ${signInQuestionLength} characters, or nested too deep.`,
      });
  }

  #notOpen(questionId: string | undefined): LandlineError {
    const before = this.#answered;
    if (before === null || (questionId ?? before.questionId) !== before.questionId)
      return new LandlineError("ask-not-found", { message: "The sign-in asks no such question." });
    return new LandlineError("ask-already-settled", { data: { by: { client: before.by } } });
  }
}

function pageOf(question: CreateElicitationRequest): Pick<AgentProgress, "url"> {
  return question.mode === "url" ? { url: String(question["url"]) } : {};
}

function messageOf({ message }: CreateElicitationRequest): string {
  return typeof message === "string" ? message.slice(0, TEXT_MAX) : "The agent asks.";
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
