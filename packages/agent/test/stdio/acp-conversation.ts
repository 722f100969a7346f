import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Execution } from "../../src/core/record.ts";
import type { AgentProcess } from "./agent-process.ts";

type Message = Record<string, unknown>;

interface Select {
  id: string;
  currentValue: string;
  options: { value: string }[];
}

/** A permission request as the user sees it. */
export interface Ask {
  sessionId: string;
  title: string;
  /** The content that is shown above the command. */
  text: string;
  rawInput: unknown;
  meta?: Record<string, unknown>;
  /** Id, kind and name of each option. */
  options: [string, string, string][];
}

/** A user of an agent process, in one session at a time. Answers permission requests with an option id. */
export class AcpConversation implements AsyncDisposable {
  readonly asks: Ask[] = [];
  answer: (ask: Ask) => string = () => "reject";
  sessionId = "";
  readonly #agent: AgentProcess;
  readonly #home: string;
  readonly #seen = new WeakSet<object>();
  #options: Select[] = [];
  #lastId = 10;
  #isKilled = false;

  private constructor(agent: AgentProcess, home: string) {
    this.#agent = agent;
    this.#home = home;
  }

  static async begin(agent: AgentProcess, home: string): Promise<AcpConversation> {
    await agent.initialize({ session: { notices: {} } });
    return new AcpConversation(agent, home);
  }

  path(name: string): string {
    return join(this.#home, name);
  }

  async open(): Promise<{ level: string; levels: string[] }> {
    const { result } = await this.#request("session/new", this.#place);
    const { sessionId, configOptions } = result as { sessionId: string; configOptions: Select[] };
    this.sessionId = sessionId;
    this.#options = configOptions;
    const permissions = configOptions.find(({ id }) => id === "permissions");
    const values = permissions?.options.map(({ value }) => value) ?? [];
    return { level: permissions?.currentValue ?? "", levels: values };
  }

  async load(sessionId = this.sessionId): Promise<void> {
    this.sessionId = sessionId;
    await this.#request("session/load", { sessionId, ...this.#place });
  }

  get #place() {
    return { cwd: this.path("project"), mcpServers: [] };
  }

  choose(value: string): Promise<Message> {
    const params = { sessionId: this.sessionId, configId: "permissions", value };
    return this.#request("session/set_config_option", params);
  }

  async setMode(modeId: string): Promise<void> {
    await this.#request("session/set_mode", { sessionId: this.sessionId, modeId });
  }

  async prompt(text: string): Promise<void> {
    const id = (this.#lastId += 1);
    const params = { sessionId: this.sessionId, prompt: [{ type: "text", text }] };
    this.#agent.send({ id, method: "session/prompt", params });
    for (;;) {
      const message = await this.#agent.wire.until(
        (one) =>
          !this.#seen.has(one) &&
          ((one["id"] === id && one["method"] === undefined) ||
            one["method"] === "session/request_permission"),
      );
      this.#seen.add(message);
      if (message["error"] !== undefined) throw new Error(JSON.stringify(message["error"]));
      if (message["method"] === undefined) return;
      const optionId = this.#decide(message["params"] as Parameters<typeof askOf>[0]);
      this.#agent.send({
        id: message["id"],
        result: { outcome: { outcome: "selected", optionId } },
      });
    }
  }

  /** Stops the turn when its call has shown output. */
  async cancelAfterOutput(): Promise<void> {
    await this.#agent.wire.until(({ params }) => {
      const { update } = (params ?? {}) as { update?: Message };
      const { status, content = [] } = (update ?? {}) as { status?: string; content?: unknown[] };
      return status !== "pending" && update?.["toolCallId"] !== undefined && content.length > 0;
    });
    this.#agent.send({ method: "session/cancel", params: { sessionId: this.sessionId } });
  }

  #decide(params: Parameters<typeof askOf>[0]): string {
    const ask = askOf(params);
    this.asks.push(ask);
    const chosen = this.answer(ask);
    if (ask.options.some(([id]) => id === chosen)) return chosen;
    throw new Error(`${chosen} is not offered: ${JSON.stringify(ask)}`);
  }

  #request(method: string, params: object): Promise<Message> {
    return this.#agent.request((this.#lastId += 1), method, params);
  }

  #updates(kind: string): Message[] {
    return this.#agent.wire.updates().filter((update) => update["sessionUpdate"] === kind);
  }

  async #told(kind: string): Promise<void> {
    await this.#agent.wire.until(
      ({ params }) =>
        (params as { update?: { sessionUpdate?: string } } | undefined)?.update?.sessionUpdate ===
        kind,
    );
  }

  optionsTold(): Promise<void> {
    return this.#told("config_option_update");
  }

  noticeTold(): Promise<void> {
    return this.#told("notice");
  }

  #permissions(): Select | undefined {
    const told = this.#updates("config_option_update").at(-1)?.["configOptions"];
    const options = (told ?? this.#options) as Select[];
    return options.find(({ id }) => id === "permissions");
  }

  levels(): string[] {
    return this.#permissions()?.options.map(({ value }) => value) ?? [];
  }

  level(): string | undefined {
    return this.#permissions()?.currentValue;
  }

  notices(): Message[] {
    return this.#updates("notice");
  }

  said(): string {
    return this.#updates("agent_message_chunk")
      .map(({ content }) => (content as { text: string }).text)
      .join("");
  }

  #ended(): Message[] {
    return this.#updates("tool_call_update").filter(({ status }) =>
      ["completed", "failed"].includes(String(status)),
    );
  }

  /** How each call ran, in order. */
  executions(): Execution[] {
    return this.#ended().map(
      ({ _meta }) => (_meta as { landline: { execution: Execution } }).landline.execution,
    );
  }

  /** The final title of each completed call; undefined if it did not change. */
  titles(): unknown[] {
    return this.#ended().map(({ title }) => title);
  }

  /** What the model read of each call that completed. */
  outputs(): string[] {
    return this.#ended().map(({ rawOutput }) => (rawOutput as { output: string }).output);
  }

  /** The reason for each failed call. */
  errors(): string[] {
    return this.#ended().flatMap(({ rawOutput }) => (rawOutput as { error?: string }).error ?? []);
  }

  faults(): readonly unknown[] {
    return this.#agent.wire.faults();
  }

  /** Kills the agent and keeps its home. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#agent.child.kill("SIGKILL");
    await this.#agent.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]();
    if (!this.#isKilled) await rm(this.#home, { recursive: true, force: true });
  }
}

function askOf(params: {
  sessionId: string;
  toolCall: {
    title: string;
    rawInput: unknown;
    content: { content?: { text?: string } }[];
    _meta?: Record<string, unknown>;
  };
  options: { optionId: string; kind: string; name: string }[];
}): Ask {
  const { sessionId, toolCall, options } = params;
  const { title, rawInput, content, _meta: meta } = toolCall;
  const text = content.flatMap((each) => each.content?.text ?? []).join("\n");
  const offered = options.map(({ optionId, kind, name }): Ask["options"][number] => [
    optionId,
    kind,
    name,
  ]);
  return { sessionId, title, text, rawInput, options: offered, ...(meta && { meta }) };
}
