import { LandlineError } from "@landline/protocol";
import type { GatewayAddress } from "./gateway-address.ts";
import { readFrame } from "./heard-frame.ts";
import type { CommandMessage, Wire, WireListener } from "./wire.ts";

/** `landline.v1` over one WebSocket: the browser's own, or Node's. */
export class SocketWire implements Wire {
  readonly via = "websocket";
  readonly #socket: WebSocket | null;
  #listener: WireListener | null;

  constructor(address: GatewayAddress, listener: WireListener) {
    this.#listener = listener;
    this.#socket = socketTo(address);
    this.#socket?.addEventListener("open", () => this.#listener?.opened());
    this.#socket?.addEventListener("message", ({ data }) => {
      const frame = readFrame(data);
      if (frame) this.#listener?.heard(frame);
    });
    this.#socket?.addEventListener("close", ({ reason }) => this.#end(reason));
    this.#socket?.addEventListener("error", () => this.#end(""));
    if (!this.#socket) queueMicrotask(() => this.#end("This address can have no WebSocket."));
  }

  send(command: CommandMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(command));
  }

  /** Of all commands the one that changes nothing: nobody is attached to a session without a name. */
  askForWord(): void {
    this.send({ id: 0, type: "detach", sessionId: "-" });
  }

  close(): void {
    this.#listener = null;
    this.#socket?.close();
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

/** Null where it may not even be tried: a token that can't stand in a header's list, or a page that forbids it. */
function socketTo({ socketUrl, token }: GatewayAddress): WebSocket | null {
  try {
    return new WebSocket(socketUrl, ["landline.v1", ...(token === null ? [] : [`token.${token}`])]);
  } catch {
    return null;
  }
}
