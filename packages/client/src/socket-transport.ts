import { LandlineError } from "@landline/protocol";
import type { Credential } from "./credential.ts";
import type { GatewayAddress } from "./gateway-address.ts";
import { readFrame } from "./read-frame.ts";
import { asProblem } from "./problem.ts";
import type { CommandMessage, Transport, TransportListener } from "./transport.ts";

/** The close code for a message that is too large. */
const TOO_LARGE = 1009;

/** `landline.v1` over one WebSocket. */
export class SocketTransport implements Transport {
  readonly via = "websocket";
  #socket: WebSocket | null = null;
  #listener: TransportListener | null;
  /** The lengths of unanswered commands, by id. */
  readonly #unanswered = new Map<number, number>();

  constructor(address: GatewayAddress, credential: Credential, listener: TransportListener) {
    this.#listener = listener;
    const token = credential.token();
    if (!(token instanceof Promise)) this.#open(address, token);
    else
      token.then(
        (text) => this.#open(address, text),
        (error: unknown) => this.#end(error instanceof LandlineError ? error.message : ""),
      );
  }

  #open({ socketUrl }: GatewayAddress, token: string | null): void {
    if (!this.#listener) return;
    this.#socket = socketTo(socketUrl, token);
    this.#socket?.addEventListener("open", () => this.#listener?.opened());
    this.#socket?.addEventListener("message", ({ data }) => {
      const frame = readFrame(data);
      if (frame?.type === "reply") this.#unanswered.delete(Number(frame.id));
      if (frame) this.#listener?.heard(frame);
    });
    this.#socket?.addEventListener("close", ({ code, reason }) => {
      if (code === TOO_LARGE) this.#refuseLongest();
      this.#end(reason);
    });
    this.#socket?.addEventListener("error", () => this.#end(""));
    if (!this.#socket) queueMicrotask(() => this.#end("This URL can't be used for a WebSocket."));
  }

  send(command: CommandMessage): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const text = JSON.stringify(command);
    this.#unanswered.set(command.id, text.length);
    this.#socket.send(text);
  }

  /** Sends a command without effect: a detach from a session that does not exist. */
  ping(): void {
    this.send({ id: 0, type: "detach", sessionId: "-" });
  }

  close(): void {
    this.#listener = null;
    this.#socket?.close();
  }

  /** Fails the longest command. Otherwise it would be repeated and close every new connection. */
  #refuseLongest(): void {
    const [longest] = [...this.#unanswered].sort(([, one], [, other]) => other - one);
    if (!longest) return;
    const error = new LandlineError("message-too-large", {
      help: "Send less at once: smaller or fewer attachments.",
    });
    this.#listener?.heard({ type: "reply", id: longest[0], ...asProblem(error) });
  }

  #end(reason: string): void {
    const listener = this.#listener;
    if (!listener) return;
    this.#listener = null;
    this.#socket?.close();
    listener.ended(
      new LandlineError("connection-lost", {
        message: reason === "" ? "The connection to the gateway was lost." : reason,
      }),
    );
  }
}

/** Null when the constructor throws: the token is not a valid subprotocol, or the page's policy forbids it. */
function socketTo(socketUrl: string, token: string | null): WebSocket | null {
  try {
    return new WebSocket(socketUrl, ["landline.v1", ...(token === null ? [] : [`token.${token}`])]);
  } catch {
    return null;
  }
}
