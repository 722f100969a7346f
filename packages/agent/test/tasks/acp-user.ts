import type {
  ContentBlock,
  McpServer,
  PermissionOptionKind,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { Transcript } from "./transcript.ts";
import { JsonRpcProcess, type JsonRpcProcessOptions } from "./json-rpc-process.ts";

export interface AcpUserOptions extends Pick<
  JsonRpcProcessOptions,
  "command" | "args" | "environment"
> {
  folder: string;
  mcpServers: McpServer[];
}

type Decide = (
  ask: RequestPermissionRequest,
) => PermissionOptionKind | Promise<PermissionOptionKind>;

/**
 * A user with a minimal client without files and terminals. Allows everything unless `decide` says otherwise.
 */
export class AcpUser implements AsyncDisposable {
  readonly shown = new Transcript();
  readonly asks: RequestPermissionRequest[] = [];
  /** The stop reason of each prompt. */
  readonly stops: string[] = [];
  /** The usage of each prompt. */
  readonly usages: unknown[] = [];
  decide: Decide = () => "allow_once";
  modelId = "";
  readonly #options: AcpUserOptions;
  #wire: JsonRpcProcess;
  #faults: readonly string[] = [];
  #sessionId = "";

  private constructor(options: AcpUserOptions) {
    this.#options = options;
    this.#wire = this.#start();
  }

  #start(): JsonRpcProcess {
    return new JsonRpcProcess({
      ...this.#options,
      cwd: this.#options.folder,
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => this.#told(method, params),
    });
  }

  static async open(options: AcpUserOptions): Promise<AcpUser> {
    const user = new AcpUser(options);
    await user.#initialize();
    const opened = (await user.#wire.request("session/new", user.#place)) as {
      sessionId: string;
      configOptions?: { id: string; currentValue: string | boolean }[];
    };
    user.#sessionId = opened.sessionId;
    const model = opened.configOptions?.find(({ id }) => id === "model");
    user.modelId = String(model?.currentValue ?? "");
    return user;
  }

  async #initialize(): Promise<void> {
    const params = { protocolVersion: 1, clientCapabilities: {} };
    await this.#wire.request("initialize", params);
  }

  get #place() {
    return { cwd: this.#options.folder, mcpServers: this.#options.mcpServers };
  }

  /** Schema violations of the agent. */
  get faults(): readonly string[] {
    return [...this.#faults, ...this.#wire.faults];
  }

  /** Restarts the agent and loads the session, which is replayed. */
  async restart(): Promise<void> {
    await this.#wire.end();
    this.#faults = this.faults;
    this.#wire = this.#start();
    await this.#initialize();
    await this.#wire.request("session/load", { sessionId: this.#sessionId, ...this.#place });
  }

  /** Continues in a fork. */
  async fork(): Promise<void> {
    const params = { sessionId: this.#sessionId, ...this.#place };
    const forked = await this.#wire.request("session/fork", params);
    this.#sessionId = (forked as { sessionId: string }).sessionId;
  }

  async prompt(text: string, ...more: ContentBlock[]): Promise<string> {
    const prompt = [{ type: "text", text }, ...more];
    const params = { sessionId: this.#sessionId, prompt };
    const { stopReason, usage } = (await this.#wire.request("session/prompt", params)) as {
      stopReason: string;
      usage?: unknown;
    };
    this.stops.push(stopReason);
    this.usages.push(usage);
    return stopReason;
  }

  cancel(): void {
    this.#wire.notify("session/cancel", { sessionId: this.#sessionId });
  }

  async setMode(modeId: string): Promise<void> {
    await this.#wire.request("session/set_mode", { sessionId: this.#sessionId, modeId });
  }

  async setOption(configId: string, value: string): Promise<void> {
    const params = { sessionId: this.#sessionId, configId, value };
    await this.#wire.request("session/set_config_option", params);
  }

  /** Disconnects; resolves to the exit code of the agent. */
  leave(): Promise<number | null> {
    return this.#wire.end();
  }

  #told(method: string, params: unknown): void {
    if (method !== "session/update") return;
    const { sessionId, update } = params as { sessionId: string; update: SessionUpdate };
    if (sessionId === this.#sessionId) this.shown.take(update);
  }

  async #answer(method: string, params: unknown): Promise<unknown> {
    if (method !== "session/request_permission") throw new Error(`${method} is not offered.`);
    const ask = params as RequestPermissionRequest;
    this.asks.push(ask);
    const kind = await this.decide(ask);
    const option = ask.options.find((each) => each.kind === kind);
    if (!option) throw new Error(`${kind} is not offered: ${JSON.stringify(ask.options)}`);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#wire[Symbol.asyncDispose]();
  }
}
