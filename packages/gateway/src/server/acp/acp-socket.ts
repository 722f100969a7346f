import type { WebSocket } from "ws";
import { Heartbeat } from "@landline/system/heartbeat";
import { WebSocketLines } from "@landline/system/web-socket-lines";
import type { Principal } from "../auth.ts";
import { beatsPerQuiet } from "../client-socket.ts";
import type { Services } from "../services.ts";
import { AcpPeer } from "./acp-peer.ts";

/** The connection of one ACP client at `/acp`. */
export class AcpSocket {
  readonly principal: Principal;
  readonly ended: Promise<void>;
  readonly #webSocket: WebSocket;
  readonly #services: Services;
  readonly #heartbeat: Heartbeat;
  #beats = 0;
  #isClosing = false;

  constructor(webSocket: WebSocket, principal: Principal, services: Services, agentId: string) {
    this.principal = principal;
    this.#webSocket = webSocket;
    this.#services = services;
    this.#heartbeat = new Heartbeat(webSocket, services.limits.socketPongsMissed);
    services.metrics.clients.add("acp", 1);
    const stream = new WebSocketLines(webSocket);
    const peer = new AcpPeer({ stream, principal, services, agentId });
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

  /** Called `beatsPerQuiet` times in `socketQuietMs`. */
  beat(): void {
    this.#beats += 1;
    if (this.#beats % beatsPerQuiet === 0) this.#heartbeat.beat();
  }
}
