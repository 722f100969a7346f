import { operations, toProblem, type LandlineError } from "@landline/protocol";
import { readCommand, type Command } from "@landline/protocol/operations";
import { jsonFrame } from "./framing.ts";
import { runOperation } from "./operations/implementations.ts";
import type { SocketCall } from "./operations/operation.ts";
import type { Peer, SocketDialect } from "./peer.ts";

const pingFrame = jsonFrame({ type: "ping" });

/**
 * The gateway's own dialect: one reply to each command, and the events of every attached session as in the log.
 * Commands for one session reach it in order.
 */
export class LandlineDialect implements SocketDialect<Command> {
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

  async execute(command: Command): Promise<string | null> {
    const { id, type, ...input } = command;
    const { principal, services, writer, lookups } = this.#peer;
    const reply = (result: object) => writer.send(jsonFrame({ type: "reply", id, result }));
    const call: SocketCall = {
      principal,
      services,
      peer: this.#peer,
      findSession: (sessionId) => lookups.find(sessionId),
      reply,
    };
    const output = await runOperation(type, input, call);
    if (operations[type].http === null) return null;
    reply(output ?? {});
    return type === "open" && output && "sessionId" in output ? output.sessionId : null;
  }
}

/** The client's message id, if it can be echoed: without it, a reply cannot be matched. */
function idOf(message: unknown): string | number | null {
  if (typeof message !== "object" || message === null || !("id" in message)) return null;
  const { id } = message;
  if (typeof id === "number" && Number.isSafeInteger(id)) return id;
  return typeof id === "string" && id.length > 0 && id.length <= 1_024 ? id : null;
}
