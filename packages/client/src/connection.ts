import { LandlineError, type GatewayFrame } from "@landline/protocol";
import { BackOff } from "./back-off.ts";
import { WritableStore } from "./writable-store.ts";
import type { ConnectionSnapshot, LandlineOptions } from "./contract.ts";
import { EventTransport } from "./event-transport.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Http } from "./http.ts";
import { Listeners } from "./listeners.ts";
import { SocketTransport } from "./socket-transport.ts";
import type { Timing } from "./timing.ts";
import { watchWakeSignals } from "./wake-signals.ts";
import type { CommandMessage, Transport, TransportListener } from "./transport.ts";

type Via = Transport["via"];

/**
 * The connection to the gateway. It reconnects after a disconnect with growing delays, until it is closed or
 * authentication fails. It does not repeat what was sent before a disconnect.
 */
export class Connection {
  readonly connection: WritableStore<ConnectionSnapshot>;
  /** A new connection is open. No session is attached on it. */
  readonly onOnline = new Listeners();
  /** The connection is lost. Pending commands will not be answered on it. */
  readonly onBroken = new Listeners();
  readonly onFrame = new Listeners<[GatewayFrame]>();

  readonly #http: Http;
  readonly #timing: Timing;
  readonly #transport: NonNullable<LandlineOptions["transport"]>;
  readonly #backOff: BackOff;
  readonly #stopWatching: () => void;
  #via: Via;
  #wire: Transport | null = null;
  #heartbeat: Heartbeat | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A WebSocket attempt while server-sent events are in use. */
  #trial: Transport | null = null;
  #trialTimer: ReturnType<typeof setTimeout> | undefined;
  #socketFailures = 0;

  constructor(http: Http, transport: LandlineOptions["transport"], timing: Timing) {
    this.#http = http;
    this.#timing = timing;
    this.#transport = transport ?? "auto";
    this.#via = this.#transport === "sse" ? "sse" : "websocket";
    this.#backOff = new BackOff(timing.retryMs, timing.retryMsMost);
    this.connection = new WritableStore<ConnectionSnapshot>({
      state: "connecting",
      via: null,
      since: Date.now(),
      retryAt: null,
      error: null,
    });
    this.#stopWatching = watchWakeSignals(() => this.#wake());
    http.onDoubt.add(() => this.#heartbeat?.askNow());
    this.#connect();
  }

  get state(): ConnectionSnapshot["state"] {
    return this.connection.getSnapshot().state;
  }

  get isOnline(): boolean {
    return this.state === "online";
  }

  /** Does nothing when there is no connection. */
  send(command: CommandMessage): void {
    if (this.isOnline) this.#wire?.send(command);
  }

  reconnect(): void {
    if (this.state === "closed") return;
    this.#backOff.reset();
    if (this.isOnline) this.#heartbeat?.askNow();
    else if (!this.#wire) this.#connect();
  }

  close(): void {
    if (this.state === "closed") return;
    this.#stopWatching();
    this.#release();
    this.#put({ state: "closed", via: null, retryAt: null, error: null });
    this.onBroken.tell();
    for (const listeners of [this.onOnline, this.onBroken, this.onFrame]) listeners.clear();
  }

  #wake(): void {
    if (this.state !== "refused") this.reconnect();
  }

  #connect(): void {
    clearTimeout(this.#timer);
    const wire = this.#makeWire(this.#via, {
      opened: () => this.#opened(wire),
      heard: (frame) => this.#heard(frame),
      ended: (error) => void this.#ended(error),
    });
    this.#wire = wire;
    this.#timer = setTimeout(() => {
      wire.close();
      void this.#ended(new LandlineError("timeout", { message: "The gateway does not answer." }));
    }, this.#timing.openMs);
    // Publish last, here and below: a listener may close or reconnect.
    this.#put({ state: "connecting", via: null, retryAt: null });
  }

  #makeWire(via: Via, listener: TransportListener): Transport {
    return via === "sse"
      ? new EventTransport(this.#http, this.#timing, listener)
      : new SocketTransport(this.#http.address, this.#http.credential, listener);
  }

  #opened(wire: Transport): void {
    clearTimeout(this.#timer);
    this.#wire = wire;
    this.#via = wire.via;
    this.#backOff.reset();
    if (wire.via === "websocket") this.#socketFailures = 0;
    else if (this.#transport === "auto") this.#trySocketLater();
    this.#heartbeat?.stop();
    this.#heartbeat = new Heartbeat(
      this.#timing,
      () => wire.ping(),
      () => {
        wire.close();
        void this.#ended(new LandlineError("connection-lost"));
      },
    );
    this.#put({ state: "online", via: wire.via, retryAt: null, error: null });
    this.onOnline.tell();
  }

  #heard(frame: GatewayFrame): void {
    this.#heartbeat?.heard();
    if (this.isOnline) this.onFrame.tell(frame);
  }

  async #ended(error: LandlineError): Promise<void> {
    const wasOnline = this.isOnline;
    this.#release();
    this.#http.credential.doubt();
    if (wasOnline) {
      this.#waitForNext(error);
      this.onBroken.tell();
      return;
    }
    // A WebSocket that failed to open gives no reason, so get it over HTTP.
    const answer = this.#via === "sse" ? error : await this.#askWhy(error);
    if (this.state !== "connecting" || this.#wire) return;
    if (answer && isRefusal(answer)) {
      this.#put({ state: "refused", via: null, retryAt: null, error: answer });
      this.onBroken.tell();
    } else if (answer === null && this.#leavesSocket()) {
      this.#connect();
    } else {
      this.#waitForNext(answer ?? error);
    }
  }

  /** Null when HTTP works. */
  async #askWhy(error: LandlineError): Promise<LandlineError | null> {
    try {
      await this.#http.text("GET", "api/health", { withinMs: this.#timing.openMs });
      return null;
    } catch (failure) {
      return failure instanceof LandlineError ? failure : error;
    }
  }

  #leavesSocket(): boolean {
    this.#socketFailures += 1;
    if (this.#transport !== "auto" || this.#socketFailures < this.#timing.socketFailures) {
      return false;
    }
    this.#via = "sse";
    return true;
  }

  #waitForNext(error: LandlineError): void {
    const waitMs = Math.max(this.#backOff.next(), error.retryAfterMs ?? 0);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), waitMs);
    this.#put({ state: "offline", via: null, retryAt: Date.now() + waitMs, error });
  }

  #trySocketLater(): void {
    clearTimeout(this.#trialTimer);
    this.#trialTimer = setTimeout(() => {
      const giveUp = () => {
        clearTimeout(this.#trialTimer);
        trial.close();
        this.#trial = null;
        if (this.isOnline) this.#trySocketLater();
      };
      let isOpen = false;
      const trial: Transport = this.#makeWire("websocket", {
        opened: () => {
          isOpen = true;
          this.#changeOver(trial);
        },
        heard: (frame) => this.#heard(frame),
        ended: (error) => {
          if (isOpen) void this.#ended(error);
          else giveUp();
        },
      });
      this.#trial = trial;
      this.#trialTimer = setTimeout(giveUp, this.#timing.openMs);
    }, this.#timing.socketAgainMs);
  }

  #changeOver(trial: Transport): void {
    clearTimeout(this.#trialTimer);
    this.#trial = null;
    this.#wire?.close();
    this.#wire = trial;
    // Callers see a short disconnect.
    this.#put({ state: "connecting", via: null, retryAt: null });
    this.onBroken.tell();
    if (this.#wire === trial) this.#opened(trial);
  }

  #release(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#trialTimer);
    this.#heartbeat?.stop();
    this.#heartbeat = null;
    this.#wire?.close();
    this.#wire = null;
    this.#trial?.close();
    this.#trial = null;
  }

  #put(changes: Partial<ConnectionSnapshot> & Pick<ConnectionSnapshot, "state">): void {
    const known = this.connection.getSnapshot();
    if (known.state === "closed") return;
    const since = changes.state === known.state ? known.since : Date.now();
    this.connection.set({ ...known, ...changes, since });
  }
}

function isRefusal({ code }: LandlineError): boolean {
  return code === "unauthorized" || code === "forbidden";
}
