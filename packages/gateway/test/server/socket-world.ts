import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  LandlineError,
  limitsOf,
  type AgentSummary,
  type LimitOverrides,
  type Role,
} from "@landline/protocol";
import { WebSocket } from "ws";
import { openDerived } from "../../src/index/derived.ts";
import { Addresses } from "../../src/server/address.ts";
import { createAuth } from "../../src/server/auth.ts";
import type { AgentList, Services, SignInTerminal } from "../../src/server/services.ts";
import { attachSockets, type Sockets } from "../../src/server/socket.ts";
import type { Names, Tokens, TokenSummary } from "../../src/server/tokens.ts";
import { openRules } from "../../src/acp-client/permissions/rules.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { FakeSessions } from "./fake-sessions.ts";

/** The WebSocket door on a real server, over sessions without agents. */
export interface World extends AsyncDisposable {
  readonly server: Server;
  readonly port: number;
  readonly services: Services;
  readonly sessions: FakeSessions;
  readonly sockets: Sockets;
  readonly agents: FakeAgents;
  readonly tokens: FakeTokens;
  connect(options?: ConnectOptions): Promise<TestClient>;
}

interface ConnectOptions {
  readonly protocols?: string[];
  readonly token?: string;
}

export async function startWorld(overrides: LimitOverrides = {}, basePath = ""): Promise<World> {
  const limits = limitsOf("default", { listDelayMs: 1, ...overrides });
  const folder = await mkdtemp(join(tmpdir(), "landline-doors-"));
  const sessions = new FakeSessions(limits);
  const agents = new FakeAgents();
  const tokens = new FakeTokens();
  const derived = openDerived(join(folder, "derived.sqlite"), { limits });
  const services: Services = {
    sessions,
    agents,
    derived,
    rules: await openRules(join(folder, "rules.json")),
    tokens,
    limits,
    profile: "default",
    logger: createLogger({ level: "silent" }),
    metrics: createMetrics(),
    address: { basePath, hosts: [], origins: [] },
  };
  const server = createServer();
  const sockets = attachSockets(
    server,
    services,
    createAuth(services, {
      addresses: new Addresses(services.address),
      strangers: { letIn: () => {} },
      deviceKeys: { find: () => null, isAccessToken: () => false },
      tickets: { take: () => null },
      isLocal: () => false,
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const clients: TestClient[] = [];
  return {
    server,
    port,
    services,
    sessions,
    sockets,
    agents,
    tokens,
    connect: async ({ protocols = ["landline.v1"], token = "control" } = {}) => {
      const address = `ws://127.0.0.1:${port}${basePath}/ws?token=${token}`;
      const client = new TestClient(new WebSocket(address, protocols));
      clients.push(client);
      await client.opened;
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      await sockets.close();
      for (const client of clients) client.socket.terminate();
      server.closeAllConnections();
      server.close();
      await sessions.close();
      derived.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string };

/** Keeps every frame, so that nothing is missed between two lines of a test. */
export class TestClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly opened: Promise<unknown>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #count = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = once(socket, "open");
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on("error", () => {});
    socket.on("message", (data: Buffer) => this.frames.push(JSON.parse(data.toString()) as Frame));
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  /** The reply to the command. */
  ask(type: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Frame> {
    this.#count += 1;
    const id = this.#count;
    this.send({ id, type, ...fields });
    return this.until((frame) => frame.type === "reply" && frame["id"] === id);
  }

  /** The first frame, from the beginning, that is wanted. */
  async until(isWanted: (frame: Frame) => boolean): Promise<Frame> {
    for (let at = 0; ; at++) {
      while (at >= this.frames.length) await once(this.socket, "message");
      const frame = this.frames[at]!;
      if (isWanted(frame)) return frame;
    }
  }

  /** Resolves when the event with that number was received. */
  reach(sessionId: string, seq: number): Promise<Frame> {
    return this.until((frame) => eventsIn(frame, sessionId).some((event) => event.seq === seq));
  }

  events(sessionId: string): readonly ReceivedEvent[] {
    return this.frames.flatMap((frame) => eventsIn(frame, sessionId));
  }

  types(): readonly string[] {
    return this.frames.map(({ type }) => type);
  }
}

export interface ReceivedEvent {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly from?: number;
}

function eventsIn(frame: Frame, sessionId: string): readonly ReceivedEvent[] {
  const isOurs = frame.type === "events" && frame["sessionId"] === sessionId;
  return isOurs ? (frame["events"] as readonly ReceivedEvent[]) : [];
}

/** The token's text is its id is its role, with a number behind it for more than one. */
export class FakeTokens implements Tokens {
  readonly shown = null;
  readonly #listeners = new Set<(revokedId: string) => void>();
  readonly #nameListeners = new Set<(names: Names) => void>();
  names: Names = {};
  readonly #revoked = new Set<string>();

  list(): readonly TokenSummary[] {
    return [];
  }

  find(token: string): TokenSummary | null {
    const role = /^(admin|control|watch)\d*$/.exec(token)?.[1] as Role | undefined;
    if (!role || this.#revoked.has(token)) return null;
    return { id: token, name: token, role, madeAt: 0 };
  }

  async link(): Promise<string> {
    return "";
  }

  async history(): Promise<readonly []> {
    return [];
  }

  addKey(): never {
    throw new Error("no keys are made here");
  }

  key(): null {
    return null;
  }

  create(): never {
    throw new Error("no tokens are made here");
  }

  async revoke(id: string): Promise<void> {
    this.#revoked.add(id);
    for (const listener of this.#listeners) listener(id);
  }

  watch(listener: (revokedId: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  watchNames(listener: (names: Names) => void): Disposable {
    this.#nameListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#nameListeners.delete(listener) };
  }

  call(names: Names): void {
    this.names = names;
    for (const listener of this.#nameListeners) listener(names);
  }

  [Symbol.dispose](): void {}
}

export class FakeAgents implements AgentList {
  readonly #listeners = new Set<(agents: readonly AgentSummary[]) => void>();
  readonly terminals = new Map<string, SignInTerminal>();
  readonly signIns: [agentId: string, methodId: string, by: string][] = [];
  readonly signOuts: [agentId: string, by: string][] = [];
  agents: readonly AgentSummary[] = [agent("absent", false), agent("scripted", true)];

  async list(): Promise<readonly AgentSummary[]> {
    return this.agents;
  }

  watch(listener: (agents: readonly AgentSummary[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async signInMethods(): Promise<readonly []> {
    return [];
  }

  async signIn(agentId: string, methodId: string, by: string): Promise<void> {
    this.signIns.push([agentId, methodId, by]);
  }

  answerSignIn(): never {
    throw new LandlineError("ask-not-found");
  }

  async cancelSignIn(): Promise<void> {
    throw new LandlineError("ask-not-found");
  }

  async signOut(agentId: string, by: string): Promise<void> {
    this.signOuts.push([agentId, by]);
  }

  async forgetChoices(): Promise<void> {
    this.agents = this.agents.map((one) => ({ ...one, lastChoices: [] }));
  }

  terminal(terminalId: string): SignInTerminal {
    const terminal = this.terminals.get(terminalId);
    if (!terminal) throw new LandlineError("terminal-not-found");
    return terminal;
  }

  change(): void {
    for (const listener of this.#listeners) listener(this.agents);
  }
}

function agent(id: string, found: boolean): AgentSummary {
  return {
    id,
    name: id,
    found,
    how: "in this test",
    install: null,
    signedIn: null,
    signInMethods: [],
    canSignOut: null,
    keys: null,
    progress: null,
    lastChoices: [],
  };
}
