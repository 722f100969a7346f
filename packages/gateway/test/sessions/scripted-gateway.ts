import { randomUUID } from "node:crypto";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import {
  decodeLine,
  limitsOf,
  type EventKind,
  type LimitOverrides,
  type SessionEvent,
} from "@landline/protocol";
import { scriptedAgentCommand } from "@landline/testing";
import { startGateway } from "../../src/gateway.ts";
import type { Gateway, GatewayOptions } from "../../src/gateway-options.ts";
import type { Session } from "../../src/sessions/sessions.ts";

/** Higher limits that a slow test on a busy machine does not reach. */
const patient: LimitOverrides = {
  // Lists, search and audit wait until the index has caught up.
  listWaitMs: 60_000,
  filesScanMs: 60_000,
  // No pings between the frames of a test, and no disconnect of a client that does not read.
  socketQuietMs: 600_000,
  heartbeatMs: 600_000,
};

/** A gateway with scripted agents in its own folder; it can be stopped and restarted. */
export class ScriptedGateway implements AsyncDisposable {
  readonly folder: string;
  /** The folder of the sessions. */
  readonly project: string;
  readonly #options: Partial<GatewayOptions>;
  readonly #limits: LimitOverrides;
  readonly #agents = new Map<
    string,
    { readonly command: string; readonly args: readonly string[] }
  >();
  #running: Gateway | null = null;
  #startedWith: Partial<GatewayOptions> = {};

  private constructor(folder: string, limits: LimitOverrides, options: Partial<GatewayOptions>) {
    this.folder = folder;
    this.project = path.join(folder, "project");
    this.#limits = { ...patient, ...limits };
    this.#options = options;
  }

  static async open(
    scenarios: Readonly<Record<string, object>>,
    limits: LimitOverrides = {},
    options: Partial<GatewayOptions> = {},
  ): Promise<ScriptedGateway> {
    const gateway = new ScriptedGateway(
      await fs.mkdtemp(path.join(tmpdir(), "landline-gateway-")),
      limits,
      options,
    );
    await fs.mkdir(gateway.project);
    for (const [name, scenario] of Object.entries(scenarios)) {
      const file = path.join(gateway.folder, `${name}.json`);
      await fs.writeFile(
        file,
        JSON.stringify({ about: name, turns: [{ steps: [] }], ...scenario }),
      );
      gateway.#agents.set(
        name,
        scriptedAgentCommand(file, { state: path.join(gateway.folder, `${name}-state`) }),
      );
    }
    await gateway.start();
    return gateway;
  }

  get #gateway(): Gateway {
    if (!this.#running) throw new Error("The gateway does not run.");
    return this.#running;
  }

  get sessions(): Gateway["sessions"] {
    return this.#gateway.sessions;
  }

  get url(): string {
    return this.#gateway.url;
  }

  get port(): number {
    return this.#gateway.port;
  }

  get token(): string {
    return this.#gateway.token;
  }

  get data(): string {
    return path.join(this.folder, "data");
  }

  async start(more: Partial<GatewayOptions> = {}): Promise<void> {
    this.#startedWith = more;
    const profile = this.#options.profile ?? "default";
    this.#running = await startGateway({
      dataFolder: this.data,
      host: "127.0.0.1",
      port: 0,
      agents: [...this.#agents].map(([id, { command, args }]) => ({ id, command, args })),
      agentFlags: [],
      defaultAgent: null,
      policy: {},
      projects: [],
      durability: "process",
      retention: {},
      resumeQueue: false,
      address: { basePath: "", hosts: [], origins: [] },
      publicUrl: null,
      logLevel: "error",
      trace: false,
      token: null,
      ...this.#options,
      ...more,
      profile,
      limits: limitsOf(profile, this.#limits),
    });
  }

  /** Closes the gateway, which keeps its address. */
  close(): Promise<void> {
    return this.#gateway.close();
  }

  async stop(): Promise<void> {
    await this.#running?.close();
    this.#running = null;
  }

  /** As it was started last. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start(this.#startedWith);
  }

  openSession(agent: string, more: { title?: string } = {}): Promise<Session> {
    return this.sessions.open({ agent, cwd: this.project, by: "tester", ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await fs.rm(this.folder, { recursive: true, force: true });
  }
}

/** Follows a session's log from its start, and waits for events. */
export class Watcher implements Disposable {
  readonly events: SessionEvent[] = [];
  readonly #tail: Disposable;
  #changed = Promise.withResolvers<void>();

  constructor(session: Session, after = 0) {
    this.#tail = session.log.tail(after, {
      write: ({ bytes }) => {
        this.events.push(
          ...(bytes.toString().trimEnd().split("\n").map(decodeLine) as SessionEvent[]),
        );
        this.#changed.resolve();
        this.#changed = Promise.withResolvers();
        return true;
      },
      end: () => this.#changed.resolve(),
    });
  }

  /** The first matching event of the kind (from `from` on). */
  async until<Kind extends EventKind>(
    kind: Kind,
    fits: (event: Extract<SessionEvent, { kind: Kind }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<SessionEvent, { kind: Kind }>> {
    for (;;) {
      const found = this.events.find(
        (event): event is Extract<SessionEvent, { kind: Kind }> =>
          event.seq > from &&
          event.kind === kind &&
          fits(event as Extract<SessionEvent, { kind: Kind }>),
      );
      if (found) return found;
      await this.#changed.promise;
    }
  }

  get kinds(): EventKind[] {
    return this.events.map(({ kind }) => kind);
  }

  /** The agent's messages, as one text. */
  get said(): string {
    return this.events
      .map((event) =>
        event.kind === "update" && event.update["sessionUpdate"] === "agent_message_chunk"
          ? ((event.update["content"] as { text?: string }).text ?? "")
          : "",
      )
      .join("");
  }

  [Symbol.dispose](): void {
    this.#tail[Symbol.dispose]();
  }
}

export function text(words: string): [{ type: "text"; text: string }] {
  return [{ type: "text", text: words }];
}

/** Prompts, and waits for the end of its turn. */
export async function turn(session: Session, watcher: Watcher, words: string) {
  const promptId = randomUUID();
  await session.prompt(promptId, text(words), "tester");
  const started = await watcher.until("turn-started", (event) => event.promptId === promptId);
  return watcher.until("turn-ended", (event) => event.turnId === started.turnId);
}
