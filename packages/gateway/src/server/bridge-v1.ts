import { asLandlineError, LandlineError } from "@landline/protocol";
import { bridgeReady, bridgeRefusal } from "@landline/protocol/compat";
import { readBridgeMessage, type BridgeCommand } from "@landline/protocol/operations";
import type { Session } from "../sessions/sessions.ts";
import { bridgeEncoder, jsonFrame } from "./framing.ts";
import { runOperation } from "./operations/implementations.ts";
import type { Call } from "./operations/operation.ts";
import type { Peer, SocketDialect } from "./peer.ts";
import { shownTo } from "./hidden-paths.ts";

type CommandOf<Type extends BridgeCommand["type"]> = Extract<BridgeCommand, { type: Type }>;

/**
 * The dialect of seed 001. Its messages run operations, and the frames of the resulting events are the response. A
 * socket therefore follows each session to which it sends a prompt or a mode.
 */
export class BridgeDialect implements SocketDialect<BridgeCommand> {
  readonly name = "bridge.v1";
  /** The seed's client has no ping and would report it as an unknown event. */
  readonly pingFrame = null;
  readonly #peer: Peer;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  read(message: unknown): BridgeCommand {
    return readBridgeMessage(message);
  }

  refusal(error: LandlineError, message: unknown): Buffer {
    return jsonFrame(bridgeRefusal(error, Date.now(), sessionIdOf(message)));
  }

  async execute(command: BridgeCommand): Promise<string | null> {
    if (command.type === "open") return this.#open(command);
    await this.#act(command);
    return null;
  }

  async #act(command: Exclude<BridgeCommand, { type: "open" }>): Promise<void> {
    if (command.type === "attach") return this.#load(command);
    if (command.type === "answer") return this.#answer(command);
    if (command.type !== "cancel") await this.#follow(command.sessionId);
    const { type, ...input } = command;
    await runOperation(type, input, this.#call);
  }

  async #open({ type, ...request }: CommandOf<"open">): Promise<string> {
    this.#peer.attachments.mustTake(null);
    const agent = request.agent ?? this.#peer.services.defaultAgent ?? (await this.#firstAgent());
    const cwd = request.cwd ?? process.cwd();
    const { sessionId } = await runOperation(type, { ...request, agent, cwd }, this.#call);
    await this.#ready(await this.#peer.lookups.find(sessionId), null);
    return sessionId;
  }

  async #load({ sessionId, after }: CommandOf<"attach">): Promise<void> {
    this.#peer.attachments.mustTake(sessionId);
    const session = await this.#peer.lookups.find(sessionId);
    const { visible: head } = session.log;
    if (after !== undefined && after > head)
      throw new LandlineError("cursor-ahead", { data: { head } });
    await this.#ready(session, after ?? 0);
  }

  /** Sends `ready` and follows the session after `after`, or from its current head. */
  async #ready(session: Session, after: number | null): Promise<void> {
    const view = await session.view();
    this.#peer.writer.together(() => {
      this.#peer.writer.send(jsonFrame(bridgeReady(session.id, view, Date.now())));
      this.#attach(session, after ?? view.head);
    });
  }

  /** The frames of its events are the response to a prompt or a change of mode. */
  async #follow(sessionId: string): Promise<void> {
    const session = await this.#peer.lookups.find(sessionId);
    if (!this.#peer.attachments.has(sessionId)) this.#attach(session, session.log.visible);
  }

  #attach(session: Session, after: number): void {
    const { id, log } = session;
    this.#peer.attachments.mustTake(id);
    this.#peer.attachments.add({
      log,
      after,
      writer: this.#peer.writer,
      encode: bridgeEncoder(id),
      ended: (error) => this.#ended(id, error),
    });
  }

  /** The seed's message names no session: the request is in one of the sessions that the socket follows. */
  async #answer({ type, sessionId: named, ...answer }: CommandOf<"answer">): Promise<void> {
    const candidates = named === undefined ? this.#peer.attachments.sessionIds() : [named];
    let refusal = new LandlineError("ask-not-found");
    for (const sessionId of candidates) {
      try {
        await runOperation(type, { sessionId, ...answer }, this.#call);
        return;
      } catch (error) {
        refusal = asLandlineError(error);
        if (refusal.code !== "ask-not-found") throw error;
      }
    }
    throw refusal;
  }

  async #firstAgent(): Promise<string> {
    const agents = await this.#peer.services.agents.list();
    const found = agents.find((agent) => agent.found);
    if (found) return found.id;
    throw new LandlineError("agent-not-found", { message: "No agent was found on this machine." });
  }

  #ended(sessionId: string, error?: Error): void {
    if (error)
      this.#peer.services.logger.error("A log could not be followed.", { sessionId, error });
    const { principal, services } = this.#peer;
    const known = error ? asLandlineError(error) : new LandlineError("session-expired");
    const refusal = shownTo(principal, known, services);
    this.#peer.writer.send(jsonFrame(bridgeRefusal(refusal, Date.now(), sessionId)));
  }

  get #call(): Call {
    const { principal, services, lookups } = this.#peer;
    return { principal, services, findSession: (sessionId) => lookups.find(sessionId) };
  }
}

function sessionIdOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("sessionId" in message))
    return undefined;
  const { sessionId } = message;
  return typeof sessionId === "string" && sessionId.length <= 1_024 ? sessionId : undefined;
}
