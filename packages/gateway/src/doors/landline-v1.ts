import { LandlineError, toProblem } from "@landline/protocol";
import { readCommand, type Command } from "@landline/protocol/commands";
import { eventsEncoder, jsonFrame } from "./framing.ts";
import type { Peer, Vocabulary } from "./peer.ts";
import { asLandlineError } from "./problem.ts";
import { ratesOf } from "./rates.ts";
import { actOn } from "./session-command.ts";
import { snapshotFrame, type SnapshotFrame } from "./snapshot-frames.ts";

type CommandOf<Type extends Command["type"]> = Extract<Command, { type: Type }>;

const pingFrame = jsonFrame({ type: "ping" });

/**
 * Our own vocabulary: commands in, one reply to each; events of every attached session out, as the log
 * has them. Commands for one session reach it in the order in which they came.
 */
export class LandlineVocabulary implements Vocabulary<Command> {
  readonly name = "landline.v1";
  readonly pingFrame = pingFrame;
  readonly #peer: Peer;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  read(message: unknown): Command {
    return readCommand(message);
  }

  refusal(error: LandlineError, message: unknown): Buffer {
    return jsonFrame({ type: "reply", id: idOf(message), error: toProblem(error) });
  }

  async obey(command: Command): Promise<string | null> {
    switch (command.type) {
      case "attach":
        await this.#attach(command);
        break;
      case "detach":
        this.#peer.attachments.remove(command.sessionId);
        this.#reply(command, {});
        break;
      case "open":
        return this.#open(command);
      case "delete":
        await this.#peer.services.sessions.delete(command.sessionId, this.#by);
        this.#reply(command, {});
        break;
      case "sign-in":
      case "answer-sign-in":
      case "cancel-sign-in":
      case "sign-out":
        await this.#signIn(command);
        this.#reply(command, {});
        break;
      case "terminal-attach":
      case "terminal-detach":
      case "terminal-input":
      case "terminal-resize":
        this.#useTerminal(command);
        break;
      default: {
        const session = await this.#peer.lookups.find(command.sessionId);
        if (command.type === "prompt") ratesOf(this.#peer.services).takePrompt(session.id);
        this.#reply(command, await actOn(session, command, this.#by));
      }
    }
    return null;
  }

  async #signIn(
    command: CommandOf<"sign-in" | "answer-sign-in" | "cancel-sign-in" | "sign-out">,
  ): Promise<void> {
    const { agents } = this.#peer.services;
    const { agent } = command;
    if (command.type === "sign-in") await agents.signIn(agent, command.methodId, this.#by);
    else if (command.type === "cancel-sign-in") await agents.cancelSignIn(agent, this.#by);
    else if (command.type === "sign-out") await agents.signOut(agent, this.#by);
    else agents.answerSignIn(agent, command, this.#by);
  }

  #useTerminal(
    command: CommandOf<
      "terminal-attach" | "terminal-detach" | "terminal-input" | "terminal-resize"
    >,
  ): void {
    const { services, outlet, terminals } = this.#peer;
    const { terminalId } = command;
    const terminal = () => services.agents.terminal(terminalId);
    switch (command.type) {
      case "terminal-detach":
        terminals.remove(terminalId);
        break;
      case "terminal-input":
        terminal().type(command.text);
        break;
      case "terminal-resize":
        terminal().resize(command.columns, command.rows);
        break;
      case "terminal-attach": {
        const found = terminal();
        outlet.together(() => {
          this.#reply(command, {});
          terminals.add(terminalId, found);
        });
        return;
      }
    }
    this.#reply(command, {});
  }

  async #open(command: CommandOf<"open">): Promise<string> {
    const { id: _, type: __, ...request } = command;
    const session = await this.#peer.services.sessions.open({ ...request, by: this.#by });
    this.#reply(command, session.summary);
    return session.id;
  }

  async #attach(command: CommandOf<"attach">): Promise<void> {
    const { sessionId, windowMs = 0 } = command;
    this.#peer.attachments.mustTake(sessionId);
    const { log } = await this.#peer.lookups.find(sessionId);
    // It may have taken others in while this one was looked for.
    this.#peer.attachments.mustTake(sessionId);
    const after = command.after ?? 0;
    if (after > log.head) throw this.#gap(sessionId, log.head);
    const { head } = log;
    const snapshot = this.#snapshot(sessionId, head, after);
    const attached = { sessionId, head, from: snapshot ? "snapshot" : "tail" } as const;
    this.#peer.outlet.together(() => {
      this.#peer.attachments.remove(sessionId);
      this.#peer.outlet.send(snapshot?.frame ?? jsonFrame({ type: "attached", ...attached }));
      try {
        this.#peer.attachments.add({
          log,
          after: snapshot?.seq ?? after,
          outlet: this.#peer.outlet,
          limits: this.#peer.services.limits,
          encode: eventsEncoder(sessionId),
          windowMs,
          ended: (error) => this.#ended(sessionId, error),
        });
      } catch (error) {
        // With durability disk, the log may not show yet what it has.
        if (asLandlineError(error).code !== "cursor-ahead") throw error;
        throw this.#gap(sessionId, log.head);
      }
      this.#reply(command, attached);
    });
  }

  #snapshot(sessionId: string, head: number, after: number): SnapshotFrame | null {
    const { services } = this.#peer;
    if (head - after <= services.limits.attachEvents) return null;
    try {
      return snapshotFrame(services, sessionId, { head, after });
    } catch (error) {
      // The log has it all: what is derived from it only makes it quicker.
      services.logger.warn("a snapshot could not be read", { sessionId, error });
      return null;
    }
  }

  /** Tells that the log can't serve the cursor, and returns the refusal of the command that had it. */
  #gap(sessionId: string, head: number): LandlineError {
    this.#peer.outlet.send(jsonFrame({ type: "gap", sessionId, head }));
    return new LandlineError("cursor-ahead", { data: { sessionId, head } });
  }

  /** A log that was deleted is told of as a session that is gone; one that can't be read is a gap. */
  #ended(sessionId: string, error?: Error): void {
    if (!error) {
      this.#peer.outlet.send(jsonFrame({ type: "sessions", sessions: [], gone: [sessionId] }));
      return;
    }
    this.#peer.services.logger.error("a log could not be followed", { sessionId, error });
    this.#peer.outlet.send(jsonFrame({ type: "gap", sessionId, head: 0 }));
  }

  #reply(command: Command, result: unknown): void {
    this.#peer.outlet.send(jsonFrame({ type: "reply", id: command.id, result }));
  }

  get #by(): string {
    return this.#peer.principal.clientId;
  }
}

/** What the client counts by, if it can be echoed: a reply without it can't be told from another. */
function idOf(message: unknown): string | number | null {
  if (typeof message !== "object" || message === null || !("id" in message)) return null;
  const { id } = message;
  if (typeof id === "number" && Number.isSafeInteger(id)) return id;
  return typeof id === "string" && id.length > 0 && id.length <= 1_024 ? id : null;
}
