import type { CommandName, LandlineError, GatewayFrame } from "@landline/protocol";

/** A command as it is sent. */
export interface CommandMessage {
  readonly id: number;
  readonly type: CommandName;
  readonly [field: string]: unknown;
}

/** One connection attempt and the connection. It is not reopened; `Connection` creates a new one. */
export interface Transport {
  readonly via: "websocket" | "sse";
  send(command: CommandMessage): void;
  /** Makes the gateway send a message. */
  ping(): void;
  /** Nothing is reported after this. */
  close(): void;
}

export interface TransportListener {
  opened(): void;
  heard(frame: GatewayFrame): void;
  /** Called once, after all other callbacks; not after `close`. */
  ended(error: LandlineError): void;
}
