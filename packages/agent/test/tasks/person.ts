import type {
  McpServer,
  PermissionOptionKind,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { Transcript } from "./transcript.ts";
import { Wire, type WireOptions } from "./wire.ts";

export interface PersonOptions extends Pick<WireOptions, "command" | "args" | "environment"> {
  folder: string;
  mcpServers: McpServer[];
}

type Decide = (
  ask: RequestPermissionRequest,
) => PermissionOptionKind | Promise<PermissionOptionKind>;

/**
 * Somebody at a plain client: it offers neither files nor terminals, shows what comes, and says yes to
 * everything unless told otherwise.
 */
export class Person implements AsyncDisposable {
  readonly shown = new Transcript();
  readonly asks: RequestPermissionRequest[] = [];
  /** How each prompt ended. */
  readonly stops: string[] = [];
  decide: Decide = () => "allow_once";
  modelId = "";
  readonly #wire: Wire;
  #sessionId = "";

  private constructor(options: PersonOptions) {
    this.#wire = new Wire({
      ...options,
      cwd: options.folder,
      answer: (method, params) => this.#answer(method, params),
      told: (method, params) => this.#told(method, params),
    });
  }

  static async open(options: PersonOptions): Promise<Person> {
    const person = new Person(options);
    const wire = person.#wire;
    await wire.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { folder: cwd, mcpServers } = options;
    const opened = (await wire.request("session/new", { cwd, mcpServers })) as {
      sessionId: string;
      configOptions?: { id: string; currentValue: string | boolean }[];
    };
    person.#sessionId = opened.sessionId;
    const model = opened.configOptions?.find(({ id }) => id === "model");
    person.modelId = String(model?.currentValue ?? "");
    return person;
  }

  /** What is wrong with what the agent sent. */
  get faults(): readonly string[] {
    return this.#wire.faults;
  }

  async prompt(text: string): Promise<string> {
    const prompt = [{ type: "text", text }];
    const params = { sessionId: this.#sessionId, prompt };
    const { stopReason } = (await this.#wire.request("session/prompt", params)) as {
      stopReason: string;
    };
    this.stops.push(stopReason);
    return stopReason;
  }

  cancel(): void {
    this.#wire.notify("session/cancel", { sessionId: this.#sessionId });
  }

  async setMode(modeId: string): Promise<void> {
    await this.#wire.request("session/set_mode", { sessionId: this.#sessionId, modeId });
  }

  /** Leaves; resolves to the exit code of the agent. */
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
