import {
  LandlineError,
  rowOf,
  type CommandName,
  type GatewayFrame,
  type Operation,
} from "@landline/protocol";
import type { Answer, CallInput } from "./api.ts";
import { checkedAnswers } from "./checked-answers.ts";
import type { Connection } from "./connection.ts";
import { problemOf } from "./problem.ts";
import type { Timing } from "./timing.ts";

export interface CommandOptions {
  readonly withinMs?: number;
  /** Whether the error of a repeat was caused by the first one. Default: always. */
  readonly isOurs?: (error: LandlineError) => boolean;
}

/** A resource that an operation changed and that the gateway pushes over WebSocket only. */
export type Changed = NonNullable<Operation["changes"]>;

/** The result of a command: a validated reply, or nothing. */
export type CommandAnswer<Name extends CommandName> = Name extends keyof typeof checkedAnswers
  ? Answer<Name>
  : void;

interface Pending {
  readonly id: number;
  readonly type: CommandName;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly options: CommandOptions;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: LandlineError) => void;
  readonly deadline: ReturnType<typeof setTimeout>;
  state: "waiting" | "sent" | "held";
  isRepeat: boolean;
  /** The last `rate-limited` error. */
  refusal: LandlineError | null;
  holdTimer?: ReturnType<typeof setTimeout>;
}

/**
 * Commands and their answers. Each is settled once, with its answer or an error, within a time limit. While offline it
 * waits. After a disconnect, commands that may be repeated are sent again; others fail with `connection-lost`. One that
 * was rate limited is sent again at the time that the gateway names.
 */
export class Commands {
  readonly #line: Connection;
  readonly #timing: Timing;
  readonly #onChange: (what: Changed) => void;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(line: Connection, timing: Timing, changed: (what: Changed) => void) {
    this.#line = line;
    this.#onChange = changed;
    this.#timing = timing;
    line.onOnline.add(() => this.#sendAll());
    line.onBroken.add(() => this.#broken());
    line.onFrame.add((frame) => this.#heard(frame));
  }

  async run<Name extends CommandName>(
    type: Name,
    input: CallInput<Name>,
    options: CommandOptions = {},
  ): Promise<CommandAnswer<Name>> {
    const answer = await this.#run(type, { ...input }, options);
    const { changes } = rowOf(type);
    if (changes) this.#onChange(changes);
    const check = (checkedAnswers as Readonly<Record<string, (answer: never) => unknown>>)[type];
    return check?.(answer as never) as CommandAnswer<Name>;
  }

  /** Runs a command that the gateway answers without an agent. */
  quick<Name extends CommandName>(
    type: Name,
    input: CallInput<Name>,
  ): Promise<CommandAnswer<Name>> {
    const withinMs = Math.min(this.#timing.quickCommandMs, this.#timing.commandMs);
    return this.run(type, input, { withinMs });
  }

  #run(
    type: CommandName,
    fields: Readonly<Record<string, unknown>>,
    options: CommandOptions,
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const refusal = this.#refusal();
    if (refusal) {
      reject(refusal);
      return promise;
    }
    const id = ++this.#lastId;
    const withinMs = options.withinMs ?? this.#timing.commandMs;
    const pending: Pending = {
      id,
      type,
      fields,
      options,
      resolve,
      reject,
      deadline: setTimeout(() => this.#fail(pending, tooLate(pending)), withinMs),
      state: "waiting",
      isRepeat: false,
      refusal: null,
    };
    this.#pending.set(id, pending);
    this.#send(pending);
    return promise;
  }

  #refusal(): LandlineError | null {
    const { state, error } = this.#line.connection.getSnapshot();
    if (state === "closed") return closed();
    if (state === "refused") return error ?? new LandlineError("unauthorized");
    if (this.#pending.size < this.#timing.commandsOpen) return null;
    return new LandlineError("rate-limited", {
      message: `${this.#timing.commandsOpen} commands are already waiting for an answer.`,
      help: "Wait until some of them are answered.",
    });
  }

  #send(pending: Pending): void {
    if (pending.state !== "waiting" || !this.#line.isOnline) return;
    pending.state = "sent";
    this.#line.send({ ...pending.fields, id: pending.id, type: pending.type });
  }

  #sendAll(): void {
    for (const pending of this.#pending.values()) this.#send(pending);
  }

  #broken(): void {
    const refusal = this.#refusal();
    // A caller may run a new command when one fails, so iterate over a copy.
    const given = [...this.#pending.values()];
    for (const pending of given) {
      if (refusal && refusal.code !== "rate-limited") this.#fail(pending, refusal);
      else if (pending.state !== "sent") continue;
      else if (rowOf(pending.type).repeat === undefined) {
        this.#fail(pending, new LandlineError("connection-lost"));
      } else {
        pending.state = "waiting";
        pending.isRepeat = true;
      }
    }
  }

  #heard(frame: GatewayFrame): void {
    if (frame.type !== "reply" || typeof frame.id !== "number") return;
    const pending = this.#pending.get(frame.id);
    if (!pending || pending.state !== "sent") return;
    if ("error" in frame) this.#refused(pending, problemOf(frame.error));
    else this.#settle(pending, () => pending.resolve(frame.result));
  }

  #refused(pending: Pending, error: LandlineError): void {
    if (error.code === "rate-limited" && error.retryAfterMs !== undefined) {
      this.#hold(pending, error, error.retryAfterMs);
      return;
    }
    const { isOurs = () => true } = pending.options;
    const { repeat = [] } = rowOf(pending.type);
    if (pending.isRepeat && repeat.includes(error.code) && isOurs(error)) {
      this.#settle(pending, () => pending.resolve({}));
    } else {
      this.#fail(pending, error);
    }
  }

  /** A rate-limited command was not executed, so any may be sent again. */
  #hold(pending: Pending, refusal: LandlineError, waitMs: number): void {
    pending.state = "held";
    pending.refusal = refusal;
    pending.holdTimer = setTimeout(() => {
      pending.state = "waiting";
      this.#send(pending);
    }, waitMs);
  }

  #fail(pending: Pending, error: LandlineError): void {
    this.#settle(pending, () => pending.reject(error));
  }

  #settle(pending: Pending, tell: () => void): void {
    if (!this.#pending.delete(pending.id)) return;
    clearTimeout(pending.deadline);
    clearTimeout(pending.holdTimer);
    tell();
  }
}

function tooLate({ state, refusal }: Pending): LandlineError {
  if (refusal && state === "held") return refusal;
  if (state === "sent") {
    return new LandlineError("timeout", {
      message: "The gateway has not answered.",
      help: "It may have been executed: check before you try again.",
    });
  }
  return new LandlineError("connection-lost", {
    message: "The gateway could not be reached in time; nothing was sent.",
    help: "Try again when the connection is back.",
  });
}

export function closed(): LandlineError {
  return new LandlineError("request-cancelled", { message: "The client was closed." });
}
