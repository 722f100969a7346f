import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { asLandlineError, isTransient, type LandlineError } from "@landline/protocol";
import { backoffMs } from "@landline/system/backoff";
import { Heartbeat } from "@landline/system/heartbeat";
import { unlessAborted } from "@landline/system/unless-aborted";
import type { WebSocket } from "ws";
import type { EditorOutput } from "./editor-output.ts";
import type { AcpSocket } from "./gateway-socket.ts";

export interface ReconnectingSocketParts {
  /** `isNeeded`: somebody waits, or the gateway did not end by itself; a gateway may be started. */
  readonly connect: (isNeeded: boolean) => Promise<AcpSocket>;
  /** Whether a request waits for a connection. */
  readonly isNeeded: () => boolean;
  /** Nothing is read from the gateway while the editor does not read. */
  readonly output: EditorOutput;
  readonly note: (text: string) => void;
  /** Brings a new connection to the state that the editor expects. Throws why that is impossible. */
  readonly opened: (socket: AcpSocket) => Promise<void>;
  readonly message: (line: string) => void;
  readonly lost: () => void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const PING_MS = 30_000;
const CLOSE_MS = 2_000;
const GOING_AWAY = 1001;

/** A connection to `/acp` of a gateway that is opened again when it is lost. */
export class ReconnectingSocket {
  readonly #parts: ReconnectingSocketParts;
  #current: AcpSocket | null = null;

  constructor(parts: ReconnectingSocketParts) {
    this.#parts = parts;
  }

  get isConnected(): boolean {
    return this.#current !== null;
  }

  get unsentBytes(): number {
    return this.#current?.webSocket.bufferedAmount ?? 0;
  }

  /** Reconnects until the signal. Throws if it can't connect at first, or never again. */
  async run(over: AbortSignal): Promise<void> {
    const { note, output } = this.#parts;
    let isNeeded = true;
    let failures = 0;
    for (let isFirst = true; !over.aborted; isFirst = false) {
      const socket = await this.#connect(isFirst, isNeeded, over);
      if (socket === null) return;
      if (over.aborted) {
        socket.webSocket.terminate();
        return;
      }
      if (!isFirst) note("Connected to the gateway again.");
      const { code, isUsable } = await this.#use(socket);
      if (over.aborted) return;
      isNeeded = code !== GOING_AWAY;
      failures = isUsable ? 0 : failures + 1;
      note("The connection to the gateway was lost. Connecting again …");
      if (output.isFull) {
        note("The editor does not read. The connection is opened when it does.");
        await unlessAborted(output.whenWritable(), over).catch(() => {});
      }
      if (failures > 0) await wait(failures - 1, over);
    }
  }

  send(line: string, sent: () => void): void {
    this.#current?.webSocket.send(line, sent);
  }

  async close(): Promise<void> {
    const webSocket = this.#current?.webSocket;
    if (!webSocket) return;
    const closed = once(webSocket, "close");
    const cut = setTimeout(() => webSocket.terminate(), CLOSE_MS);
    webSocket.resume();
    webSocket.close();
    await closed;
    clearTimeout(cut);
  }

  async #connect(
    isFirst: boolean,
    isNeeded: boolean,
    over: AbortSignal,
  ): Promise<AcpSocket | null> {
    for (let tries = 0; !over.aborted; tries++) {
      try {
        return await this.#parts.connect(isNeeded || this.#parts.isNeeded());
      } catch (error) {
        const known = asLandlineError(error);
        if (isFirst || !mayPass(known)) throw known;
      }
      await wait(tries, over);
    }
    return null;
  }

  /** Resolves when the connection has ended. Throws if another one would be of no use either. */
  async #use(socket: AcpSocket): Promise<{ readonly code: number; readonly isUsable: boolean }> {
    const { webSocket } = socket;
    this.#current = socket;
    const closed = once(webSocket, "close") as Promise<[number, Buffer]>;
    // One missed pong suffices, because nothing is lost by a reconnect.
    const heartbeat = new Heartbeat(webSocket, 1);
    const timer = setInterval(() => heartbeat.beat(), PING_MS);
    webSocket.on("message", (data) => {
      this.#parts.message((data as Buffer).toString("utf8"));
      void this.#waitUntilRead(webSocket, heartbeat);
    });
    let isUsable = false;
    let failure: LandlineError | null = null;
    this.#parts.opened(socket).then(
      () => (isUsable = true),
      (error: unknown) => {
        if (this.#current !== socket) return;
        failure = asLandlineError(error);
        this.#parts.note(failure.message);
        webSocket.close();
      },
    );
    const [code] = await closed;
    clearInterval(timer);
    this.#current = null;
    this.#parts.lost();
    if (failure !== null && !mayPass(failure)) throw failure as LandlineError;
    return { code, isUsable };
  }

  /** Stops reading from the gateway while the editor does not read. */
  async #waitUntilRead(webSocket: WebSocket, heartbeat: Heartbeat): Promise<void> {
    const { output } = this.#parts;
    if (!output.isFull || webSocket.isPaused) return;
    webSocket.pause();
    await output.whenWritable();
    heartbeat.noteActivity();
    webSocket.resume();
  }
}

/** Whether another attempt may succeed. The gateway may fail once for a reason that is not known. */
function mayPass({ code }: LandlineError): boolean {
  return isTransient(code) || code === "internal-error";
}

async function wait(tries: number, over: AbortSignal): Promise<void> {
  const delay = backoffMs(FIRST_DELAY_MS, LONGEST_DELAY_MS, tries);
  await pause(delay, undefined, { signal: over }).catch(() => {});
}
