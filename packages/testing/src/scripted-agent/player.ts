import type { Readable } from "node:stream";
import { Answers, responseFields } from "./answers.ts";
import { readLines } from "./input.ts";
import type { JsonObject } from "./json.ts";
import { ClientAccess } from "./client-access.ts";
import { Methods } from "./methods.ts";
import { Peer, type RequestId } from "./peer.ts";
import { Refusal } from "./refusal.ts";
import { replayOf } from "./replay.ts";
import type { Answer, Scenario } from "./scenario.ts";
import { SessionMethods, type Usual } from "./session-methods.ts";
import type { Session } from "./sessions.ts";
import type { Step } from "./step.ts";
import { TurnEnded, type Connection } from "./step-context.ts";
import { Turns } from "./turns.ts";
import { waitMs } from "./delays.ts";

/** The connection of one client: handles its messages in order and answers each request once. */
export class Player {
  readonly turns: Turns;
  readonly #scenario: Scenario;
  readonly #methods: Methods;
  readonly #connection: Connection;
  readonly #gone: AbortSignal;
  readonly #answers: Answers;
  /** Requests whose answer is delayed, for `$/cancel_request`. */
  readonly #slow = new Map<RequestId, AbortController>();

  constructor(
    scenario: Scenario,
    parts: Pick<Connection, "output" | "host" | "store">,
    gone: AbortSignal,
  ) {
    const access = new ClientAccess(scenario, parts.store);
    const peer = new Peer(
      parts.output,
      {
        request: (id, method, params) => {
          this.#request(id, method, params);
        },
        notification: (method, params) => {
          this.#notification(method, params);
        },
      },
      scenario.requestIds ?? "numbers",
    );
    this.#scenario = scenario;
    this.#methods = new Methods(
      access,
      new SessionMethods(scenario.session ?? {}, parts.store, access),
    );
    this.#gone = gone;
    this.#answers = new Answers(scenario.answers ?? {});
    this.#connection = { ...parts, peer, clientCapabilities: () => access.clientCapabilities() };
    this.turns = new Turns(scenario, this.#connection, () => access.clientParams(), gone);
  }

  async read(input: Readable): Promise<void> {
    const { atStart = [] } = this.#scenario;
    if (atStart.length > 0) await this.#playAside(atStart, undefined, {});
    await readLines(input, (line) => {
      this.#connection.peer.receive(line);
    });
  }

  #notification(method: string, params: JsonObject): void {
    if (method === "session/cancel") this.turns.cancel(String(params["sessionId"]));
    if (method !== "$/cancel_request" || this.#scenario.cancelRequest === "ignore") return;
    this.turns.cancelRequest(params["requestId"]);
    this.#slow.get(params["requestId"] as RequestId)?.abort();
  }

  #request(id: RequestId, method: string, params: JsonObject): void {
    if (method === "session/prompt") this.#prompt(id, params);
    else void this.#answer(id, method, params);
  }

  #prompt(id: RequestId, params: JsonObject): void {
    try {
      this.turns.prompt(id, this.#methods.promptable(params), params);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#connection.peer.respond(id, { error: error.error });
    }
  }

  /** Runs synchronously up to the first delay or step, so that immediate answers keep the order of the requests. */
  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    const answer = this.#answers.take(method, params);
    const controller = new AbortController();
    this.#slow.set(id, controller);
    try {
      const signal = AbortSignal.any([controller.signal, this.#gone]);
      if (answer.delayMs !== undefined) await waitMs(answer.delayMs, signal);
      if (answer.never === true) return;
      await this.#answerNow(id, method, params, answer);
    } catch (error) {
      if (this.#gone.aborted) return;
      this.#connection.peer.respond(id, this.#failure(error, controller.signal));
    } finally {
      this.#slow.delete(id);
    }
  }

  async #answerNow(
    id: RequestId,
    method: string,
    params: JsonObject,
    answer: Answer,
  ): Promise<void> {
    const usual = this.#usual(method, params, answer);
    const values = { requestId: id, params };
    const context = this.turns.contextOf(usual.session, values);
    const fields = responseFields(usual, answer, context);
    const { before = [], after = [] } = answer;
    if (before.length > 0) await this.#playAside(before, usual.session, values);
    const replay = replayOf(usual, this.#scenario.session);
    for (const message of replay.before) this.#connection.output.send(message);
    this.#connection.peer.respond(id, fields);
    for (const message of replay.after) this.#connection.output.send(message);
    const { commands } = this.#scenario.session ?? {};
    const announced = usual.begins === true && commands !== undefined ? [{ commands }] : [];
    await this.#playAside([...announced, ...after], usual.session, values);
  }

  /** If the answer is an error, no session is created or changed. */
  #usual(method: string, params: JsonObject, answer: Answer): Usual {
    if (answer.error !== undefined) return { result: {} };
    try {
      const usual = this.#methods.call(method, params);
      const ends = method === "session/close" || method === "session/delete";
      if (ends) this.turns.cancel(String(params["sessionId"]));
      return usual;
    } catch (error) {
      const unknown = error instanceof Refusal && error.error.code === -32601;
      if (!unknown || (answer.result === undefined && answer.raw === undefined)) throw error;
      // A custom method of the scenario; its params may still name a session.
      const session = this.#connection.store.get(String(params["sessionId"]));
      return session === undefined ? { result: {} } : { result: {}, session };
    }
  }

  #failure(error: unknown, cancelled: AbortSignal): JsonObject {
    if (error instanceof Refusal) return { error: error.error };
    if (cancelled.aborted) return { error: { code: -32800, message: "Request cancelled" } };
    return this.turns.fault(error);
  }

  async #playAside(
    steps: readonly Step[],
    session: Session | undefined,
    values: JsonObject,
  ): Promise<void> {
    const context = this.turns.contextOf(session, values);
    try {
      await context.play(steps, context);
    } catch (error) {
      if (!this.#gone.aborted && !(error instanceof TurnEnded)) this.turns.fault(error);
    }
  }
}
