import { randomUUIDv7 } from "node:crypto";
import { LandlineError } from "@landline/protocol";
import { bridgeReady, bridgeRefusal } from "@landline/protocol/compat";
import { readBridgeMessage, type BridgeCommand } from "@landline/protocol/operations";
import type { Session } from "../sessions/sessions.ts";
import { bridgeEncoder, jsonFrame } from "./framing.ts";
import type { Peer, Vocabulary } from "./peer.ts";
import { shownTo } from "./hidden-paths.ts";
import { asLandlineError } from "./problem.ts";
import { ratesOf } from "./rates.ts";

type CommandOf<Type extends BridgeCommand["type"]> = Extract<BridgeCommand, { type: Type }>;

/**
 * Seed 001's vocabulary. What its chat leaves out is filled in here: a prompt's id, the agent and the
 * folder of a new session, the session of an answer. What it sends is answered by the frames of the
 * events that it causes, so whoever speaks to a session follows it from then on.
 */
export class BridgeVocabulary implements Vocabulary<BridgeCommand> {
  readonly name = "bridge.v1";
  /** The seed's chat knows no ping, and would report each as an unknown event. */
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

  async obey(command: BridgeCommand): Promise<string | null> {
    if (command.type === "open") return this.#open(command);
    await this.#act(command);
    return null;
  }

  async #act(command: Exclude<BridgeCommand, { type: "open" }>): Promise<void> {
    switch (command.type) {
      case "attach":
        return this.#load(command);
      case "prompt": {
        const session = await this.#peer.lookups.find(command.sessionId);
        this.#follow(session);
        ratesOf(this.#peer.services).takePrompt(session.id);
        return session.prompt(command.promptId ?? randomUUIDv7(), command.content, this.#by);
      }
      case "cancel":
        return (await this.#peer.lookups.find(command.sessionId)).cancel(this.#by);
      case "set-mode": {
        const session = await this.#peer.lookups.find(command.sessionId);
        this.#follow(session);
        return session.setMode(command.modeId, this.#by);
      }
      case "answer":
        return this.#answer(command);
    }
  }

  async #open(command: CommandOf<"open">): Promise<string> {
    const { type: _, ...request } = command;
    this.#peer.attachments.mustTake(null);
    const agent = request.agent ?? this.#peer.services.defaultAgent ?? (await this.#firstAgent());
    const cwd = request.cwd ?? process.cwd();
    const { sessions } = this.#peer.services;
    const session = await sessions.open({ ...request, agent, cwd, by: this.#by });
    await this.#ready(session, null);
    return session.id;
  }

  async #load({ sessionId, after }: CommandOf<"attach">): Promise<void> {
    this.#peer.attachments.mustTake(sessionId);
    const session = await this.#peer.lookups.find(sessionId);
    const { visible: head } = session.log;
    if (after !== undefined && after > head)
      throw new LandlineError("cursor-ahead", { data: { head } });
    await this.#ready(session, after ?? 0);
  }

  /** Tells that the session is there, and follows it: from `after`, or from where it is. */
  async #ready(session: Session, after: number | null): Promise<void> {
    const view = await session.view();
    this.#peer.writer.together(() => {
      this.#peer.writer.send(jsonFrame(bridgeReady(session.id, view, Date.now())));
      this.#attach(session, after ?? view.head);
    });
  }

  #follow(session: Session): void {
    if (!this.#peer.attachments.has(session.id)) this.#attach(session, session.log.visible);
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

  /** The chat names no session: the ask belongs to one of those that it was shown. */
  async #answer({ sessionId, askId, outcome }: CommandOf<"answer">): Promise<void> {
    const candidates = sessionId === undefined ? this.#peer.attachments.sessionIds() : [sessionId];
    let refusal = new LandlineError("ask-not-found");
    for (const candidate of candidates) {
      try {
        const session = await this.#peer.lookups.find(candidate);
        await session.answer(askId, outcome, this.#by);
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
      this.#peer.services.logger.error("a log could not be followed", { sessionId, error });
    const { principal, services } = this.#peer;
    const known = error ? asLandlineError(error) : new LandlineError("session-expired");
    const refusal = shownTo(principal, known, services);
    this.#peer.writer.send(jsonFrame(bridgeRefusal(refusal, Date.now(), sessionId)));
  }

  get #by(): string {
    return this.#peer.principal.clientId;
  }
}

function sessionIdOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("sessionId" in message))
    return undefined;
  const { sessionId } = message;
  return typeof sessionId === "string" && sessionId.length <= 1_024 ? sessionId : undefined;
}
