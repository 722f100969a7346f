import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ForkSessionResponse,
  type Implementation,
  type InitializeResponse,
  type LoadSessionResponse,
  type McpServer,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type Stream,
} from "@agentclientprotocol/sdk/unstable";
import { Terminals } from "./terminals.ts";
import { personas, type PersonaName, type Traits } from "./traits.ts";
import { Wire } from "./wire.ts";

/** Answers of a form, in place of the first choice of each field. */
export type FormAnswer = (request: CreateElicitationRequest) => CreateElicitationResponse;

/**
 * A client with configurable behaviour, made with the official SDK, that records what it receives. The caller closes
 * it.
 */
export class Persona implements AsyncDisposable {
  readonly traits: Traits;
  readonly wire = new Wire();
  readonly permissions: RequestPermissionRequest[] = [];
  readonly questions: CreateElicitationRequest[] = [];
  readonly terminals = new Terminals();
  /** Unsaved text, by path. */
  readonly buffers = new Map<string, string>();
  /** Files that were read and written through it. */
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  /** Sent as `clientInfo`. */
  info: Implementation | null = null;
  /** Called before it reads or writes a file: may wait, or throw what it answers. */
  beforeFile: (path: string) => Promise<void> = async () => {};
  answerForm: FormAnswer = firstChoices;
  /** Replaces the answer of its traits. */
  answerPermission: ((request: RequestPermissionRequest) => string | null) | null = null;
  /** Answers permission requests later. */
  decide: ((request: RequestPermissionRequest) => Promise<string>) | null = null;
  #connection: ClientConnection | null = null;
  #folders: string[] = [];

  constructor(name: PersonaName, changes: Partial<Traits> = {}) {
    this.traits = { ...personas[name], ...changes };
  }

  /** Connects to an agent in this process over a stream, so that order and form are those of a real one. */
  connectApp(agent: AgentApp): void {
    const toAgent = new TransformStream();
    const toClient = new TransformStream();
    agent.connect({ readable: toAgent.readable, writable: toClient.writable });
    this.connect({ readable: toClient.readable, writable: toAgent.writable });
  }

  /** Connects to a program that speaks ACP on its stdin and stdout. */
  connectProgram({ stdin, stdout }: { readonly stdin: Writable; readonly stdout: Readable }): void {
    const output = Readable.toWeb(stdout) as ReadableStream<Uint8Array>;
    this.connect(ndJsonStream(Writable.toWeb(stdin), output));
  }

  connect(stream: Stream): void {
    this.#connection = this.#app().connect(this.wire.tap(stream));
  }

  get agent(): ClientContext {
    if (this.#connection) return this.#connection.agent;
    throw new Error("The persona is not connected.");
  }

  initialize(meta?: Record<string, unknown>): Promise<InitializeResponse> {
    return this.agent.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: this.traits.capabilities,
      ...(this.info && { clientInfo: this.info }),
      ...(meta && { _meta: meta }),
    });
  }

  async open(cwd: string, mcpServers: McpServer[] = []): Promise<NewSessionResponse> {
    this.#folders = [cwd];
    return this.agent.request(methods.agent.session.new, { cwd, mcpServers });
  }

  load(sessionId: string, cwd: string, mcpServers: McpServer[] = []): Promise<LoadSessionResponse> {
    return this.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers });
  }

  fork(sessionId: string, cwd: string): Promise<ForkSessionResponse> {
    return this.agent.request(methods.agent.session.fork, { sessionId, cwd, mcpServers: [] });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    const prompt = [{ type: "text" as const, text }];
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection?.close();
    await this.#connection?.closed;
    this.terminals[Symbol.dispose]();
  }

  #app() {
    const { terminal, fs } = methods.client;
    return client({ name: "persona" })
      .onNotification(methods.client.session.update, () => undefined)
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        this.#slowly(() => this.#decide(params, signal)),
      )
      .onRequest("elicitation/create", ({ params }) =>
        this.#slowly(() => {
          this.questions.push(params);
          return this.answerForm(params);
        }),
      )
      .onRequest(fs.readTextFile, ({ params }) =>
        this.#slowly(async () => ({ content: await this.#read(params.path) })),
      )
      .onRequest(fs.writeTextFile, ({ params }) =>
        this.#slowly(async () => {
          await this.#write(params.path, params.content);
          return {};
        }),
      )
      .onRequest(terminal.create, ({ params }) => this.#slowly(() => this.terminals.create(params)))
      .onRequest(terminal.output, ({ params }) => this.terminals.output(params.terminalId))
      .onRequest(terminal.waitForExit, ({ params }) =>
        this.terminals.waitForExit(params.terminalId),
      )
      .onRequest(terminal.kill, ({ params }) => {
        this.terminals.kill(params.terminalId);
        return {};
      })
      .onRequest(terminal.release, ({ params }) => {
        this.terminals.release(params.terminalId);
        return {};
      });
  }

  async #slowly<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    if (this.traits.delayMs > 0) await pause(this.traits.delayMs);
    return work();
  }

  async #decide(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    this.permissions.push(request);
    const chosen = (await this.decide?.(request)) ?? this.answerPermission?.(request) ?? null;
    if (chosen !== null) return { outcome: { outcome: "selected", optionId: chosen } };
    const { permission } = this.traits;
    const option = request.options.find(({ kind }) => kind === permission);
    if (option) return { outcome: { outcome: "selected", optionId: option.optionId } };
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    return { outcome: { outcome: "cancelled" } };
  }

  async #read(path: string): Promise<string> {
    this.#keepInside(path);
    this.reads.push(path);
    await this.beforeFile(path);
    const unsaved = this.buffers.get(path);
    if (unsaved !== undefined) return unsaved;
    try {
      return await readFile(path, "utf8");
    } catch {
      throw RequestError.resourceNotFound(path);
    }
  }

  async #write(path: string, content: string): Promise<void> {
    this.#keepInside(path);
    this.writes.push(path);
    await this.beforeFile(path);
    if (!this.traits.savesFiles || this.buffers.has(path)) this.buffers.set(path, content);
    if (!this.traits.savesFiles) return;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  #keepInside(path: string): void {
    if (!this.traits.refusesOutside) return;
    if (this.#folders.some((folder) => !relative(folder, path).startsWith(".."))) return;
    throw RequestError.invalidParams({ path }, "This file is outside the worktree.");
  }
}

/** The first choice of every field; a text for fields without choices. */
function firstChoices(request: CreateElicitationRequest): CreateElicitationResponse {
  if (!("requestedSchema" in request)) return { action: "decline" };
  const { properties = {} } = request.requestedSchema as {
    properties?: Record<string, { oneOf?: { const: string }[]; type: string }>;
  };
  const content = Object.entries(properties).map(([name, { oneOf, type }]) => [
    name,
    type === "boolean" ? true : (oneOf?.[0]?.const ?? "own words"),
  ]);
  return { action: "accept", content: Object.fromEntries(content) as Record<string, string> };
}
