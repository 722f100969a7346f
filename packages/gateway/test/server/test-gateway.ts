import { randomUUIDv7 } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EventEmitter, once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { LimitOverrides, Role, SessionView } from "@landline/protocol";
import { checkScenario, playScenario, type Scenario } from "@landline/testing";
import { WebSocket } from "ws";
import type { GatewayOptions } from "../../src/gateway-options.ts";
import { fileLogs } from "../../src/log/file-logs.ts";
import type { EventDraft, SessionLog } from "../../src/log/log.ts";
import type { OpenRequest, Session } from "../../src/sessions/sessions.ts";
import { ScriptedGateway } from "../sessions/scripted-gateway.ts";
import { TestClient } from "./socket-client.ts";

export interface TestGatewayOptions extends Partial<Omit<GatewayOptions, "limits">> {
  readonly limits?: LimitOverrides;
  /** The scenario of the agent `scripted`. */
  readonly scenario?: object;
}

export interface AskInit {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A token by its name, as for `connect`. */
  readonly as?: string;
}

export interface TestToken {
  readonly id: string;
  readonly token: string;
}

/** A real gateway, used over its sockets only. Its agent `scripted` is played in this process, over TCP. */
export class TestGateway implements AsyncDisposable {
  readonly #scripted: ScriptedGateway;
  readonly #agent: Server;
  readonly #tokens = new Map<string, Promise<TestToken>>();
  readonly #clients: TestClient[] = [];
  /** Called with each connection at the gateway's end, before anything is read. */
  onConnection: (socket: Socket) => void = () => {};
  readonly #noteConnection = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    if (socket.localPort === this.port) this.onConnection(socket);
  };

  private constructor(scripted: ScriptedGateway, agent: Server) {
    this.#scripted = scripted;
    this.#agent = agent;
    subscribe("net.server.socket", this.#noteConnection);
  }

  static async start({
    limits = {},
    scenario = {},
    agents: more = [],
    ...options
  }: TestGatewayOptions = {}): Promise<TestGateway> {
    const agent = await listen({ about: "A test.", turns: [{ steps: [] }], ...scenario });
    const { port } = agent.address() as AddressInfo;
    const agents = [{ id: "scripted", endpoint: `tcp://127.0.0.1:${port}` }, ...more];
    const scripted = await ScriptedGateway.open(
      {},
      { listDelayMs: 1, ...limits },
      { agents, ...options },
    );
    return new TestGateway(scripted, agent);
  }

  get port(): number {
    return this.#scripted.port;
  }

  /** With the role admin. */
  get token(): string {
    return this.#scripted.token;
  }

  get url(): string {
    return this.#scripted.url;
  }

  get #basePath(): string {
    return new URL(this.url).pathname.replace(/\/$/, "");
  }

  get folder(): string {
    return this.#scripted.folder;
  }

  get data(): string {
    return this.#scripted.data;
  }

  /** The folder of sessions of `open`. */
  get project(): string {
    return this.#scripted.project;
  }

  get sessions() {
    return this.#scripted.sessions;
  }

  close(): Promise<void> {
    return this.#scripted.close();
  }

  /** With the token of an admin by default. Headers and the path are sent unchanged. */
  async ask(path: string, { method = "GET", body, headers = {}, as }: AskInit = {}) {
    const token = as === undefined ? this.token : (await this.tokenOf(as)).token;
    const { port } = this;
    const authorized = { authorization: `Bearer ${token}`, ...headers };
    const to = { host: "127.0.0.1", port, path, method, agent: false };
    const sent = request({ ...to, headers: authorized });
    sent.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return responseOf(answer);
  }

  /** A token with its own name: `watch`, `control`, `control2`. */
  tokenOf(name: string): Promise<TestToken> {
    const known = this.#tokens.get(name) ?? this.addToken({ role: name.replace(/\d+$/, "") });
    this.#tokens.set(name, known);
    return known;
  }

  async addToken(device: {
    readonly name?: string;
    readonly role: string;
    readonly session?: string;
  }): Promise<TestToken> {
    const answer = await this.ask(`${this.#basePath}/api/devices`, {
      method: "POST",
      body: { name: device.role, ...device, role: device.role as Role },
    });
    return (await answer.json()) as TestToken;
  }

  /** The token of an admin. */
  async clientId(): Promise<string> {
    return ((await (await this.ask(`${this.#basePath}/api/me`)).json()) as { clientId: string })
      .clientId;
  }

  async revoke({ id }: TestToken): Promise<void> {
    await this.ask(`${this.#basePath}/api/devices/${id}`, { method: "DELETE" });
  }

  /** A number of `/metrics`; 0 if it is missing. */
  async metric(name: string): Promise<number> {
    const text = await (await this.ask(`${this.#basePath}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length) ?? 0);
  }

  /** `token`: by its name. */
  async connect({
    protocols = ["landline.v1"],
    token = "control",
  }: { readonly protocols?: string[]; readonly token?: string } = {}): Promise<TestClient> {
    const { token: text } = await this.tokenOf(token);
    return this.connectWith(text, protocols);
  }

  async connectWith(token: string, protocols = ["landline.v1"]): Promise<TestClient> {
    const address = `${this.url.replace("http", "ws")}/ws?token=${token}`;
    const client = new TestClient(new WebSocket(address, protocols));
    this.#clients.push(client);
    await client.opened;
    return client;
  }

  /** A session with the scripted agent. */
  async open(more: Partial<OpenRequest> = {}): Promise<LoggedSession> {
    const wanted = { agent: "scripted", cwd: this.project, by: "tester", ...more };
    return new LoggedSession(await this.sessions.open(wanted));
  }

  /** A session of an earlier gateway: its log says that it was opened, and no agent runs. */
  async recorded({
    cwd = "/repo",
    title = null,
  }: { readonly cwd?: string; readonly title?: string | null } = {}): Promise<LoggedSession> {
    const id = randomUUIDv7();
    await using logs = fileLogs(join(this.data, "sessions"));
    const facts = { agent: "scripted", cwd, roots: [cwd], title, parent: null, by: "tester" };
    (await logs.create(id)).append([{ kind: "session-opened", ...facts }]);
    return new LoggedSession(await this.sessions.get(id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.leave();
    await this.#scripted[Symbol.asyncDispose]();
    unsubscribe("net.server.socket", this.#noteConnection);
    this.#agent.close();
  }
}

/** A session of the real gateway, and a way to append events of an agent to its log. */
export class LoggedSession {
  readonly session: Session;
  readonly log: SessionLog;

  constructor(session: Session) {
    this.session = session;
    this.log = session.log as SessionLog;
  }

  get id(): string {
    return this.session.id;
  }

  append(...drafts: EventDraft[]): void {
    this.log.append(drafts);
  }

  says(text: string): void {
    const content = { type: "text", text };
    this.append({ kind: "update", update: { sessionUpdate: "agent_message_chunk", content } });
  }

  view(): Promise<SessionView> {
    return this.session.view();
  }
}

/** What the gateway writes to connections from now on. */
export class Writes {
  /** The number of writes, by connection. */
  readonly counts: number[] = [];
  /** The longest single write. */
  longest = 0;
  /** The most unsent bytes of one connection. */
  mostUnsent = 0;
  readonly #written = new EventEmitter();

  constructor(gateway: TestGateway) {
    gateway.onConnection = (socket) => this.#watch(socket);
  }

  async untilUnsent(bytes: number): Promise<void> {
    while (this.mostUnsent <= bytes) await once(this.#written, "write");
  }

  #watch(socket: Socket): void {
    const index = this.counts.push(0) - 1;
    const write = socket.write.bind(socket);
    socket.write = ((...given: Parameters<typeof write>) => {
      const hasRoom = write(...given);
      this.counts[index]! += 1;
      this.longest = Math.max(this.longest, given[0].length);
      this.mostUnsent = Math.max(this.mostUnsent, socket.writableLength);
      this.#written.emit("write");
      return hasRoom;
    }) as typeof write;
  }
}

async function listen(scenario: object): Promise<Server> {
  const checked: Scenario = checkScenario(scenario);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    playScenario(checked, { input: socket, output: socket });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function responseOf(answer: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, headers } = answer;
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  const flat = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return new Response([204, 304].includes(status) ? null : Buffer.concat(pieces), {
    status,
    headers: Object.fromEntries(flat),
  });
}
