import { WebSocket } from "ws";
import type { Principal } from "../auth.ts";
import type { Services } from "../services.ts";
import { AcpPeer } from "./acp-peer.ts";
import { WebSocketLines } from "@landline/system/web-socket-lines";

/** The connection of one ACP client at `/acp`. */
export class AcpSocket {
  readonly principal: Principal;
  readonly ended: Promise<void>;
  readonly #webSocket: WebSocket;
  readonly #services: Services;
  #pongsMissed = 0;
  #isClosing = false;

  constructor(webSocket: WebSocket, principal: Principal, services: Services, agentId: string) {
    this.principal = principal;
    this.#webSocket = webSocket;
    this.#services = services;
    services.metrics.clients.add("acp", 1);
    const stream = new WebSocketLines(webSocket);
    const peer = new AcpPeer({ stream, principal, services, agentId });
    webSocket.on("pong", () => (this.#pongsMissed = 0));
    this.ended = peer.ended.then(() => services.metrics.clients.add("acp", -1));
  }

  /** Idempotent. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#webSocket.close(code, reason);
    const cut = setTimeout(() => this.#webSocket.terminate(), this.#services.limits.socketCloseMs);
    void this.ended.then(() => clearTimeout(cut));
  }

  /** Sends a ping every `beatsPerPong` beats. Terminates the connection after `socketPongsMissed` unanswered ones. */
  beat(): void {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return;
    const { socketPongsMissed } = this.#services.limits;
    if (this.#pongsMissed >= socketPongsMissed * beatsPerPong) this.#webSocket.terminate();
    else {
      if (this.#pongsMissed % beatsPerPong === 0) this.#webSocket.ping();
      this.#pongsMissed += 1;
    }
  }
}

/** The number of beats between two pings. */
const beatsPerPong = 3;
