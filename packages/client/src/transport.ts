import type { CommandName, LandlineError, GatewayFrame } from "@landline/protocol";

/** A command as it is sent. */
export interface CommandMessage {
  readonly id: number;
  readonly type: CommandName;
  readonly [field: string]: unknown;
}

/** One connection, from its first try to its end. It is never opened again: the line makes another. */
export interface Transport {
  readonly via: "websocket" | "sse";
  send(command: CommandMessage): void;
  /** Makes the other end say something. */
  askForWord(): void;
  /** Nothing is told after this. */
  close(): void;
}

export interface TransportListener {
  opened(): void;
  heard(frame: GatewayFrame): void;
  /** Once, and the last that is told; not after `close`. */
  ended(error: LandlineError): void;
}
