import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { availableCommands } from "../core/available-commands.ts";
import type { AgentEvent } from "../core/record.ts";
import type { Session } from "../core/session.ts";
import { modelOrDefault } from "../core/mode-and-model.ts";
import { contextMeasure } from "../core/context-size.ts";
import { configOptions, levelName } from "./config-options.ts";

/**
 * Sends what changes outside of turns: commands, options, context usage, and problems of the configuration,
 * the models and the MCP servers. Each is sent when it changes, each problem once.
 */
export class SessionNotifications implements Disposable {
  readonly #session: Session;
  readonly #send: (update: SessionUpdate) => void;
  readonly #show: (event: AgentEvent) => void;
  readonly #stops: (() => void)[];
  readonly #told = new Set<string>();
  #isDisposed = false;
  #commands = "";
  #options: string;
  #modelId: string;

  /** Nothing is sent before the client has the session id: it would drop it. */
  constructor(
    session: Session,
    send: (update: SessionUpdate) => void,
    show: (event: AgentEvent) => void,
  ) {
    this.#session = session;
    this.#send = send;
    this.#show = show;
    // The response contains these.
    this.#options = JSON.stringify(configOptions(session));
    this.#modelId = modelOrDefault(session).id;
    const { mcp, models } = session.parts;
    const first = setImmediate(() => this.#introduce());
    this.#stops = [
      mcp.onChange(() => this.#serversChanged()),
      models.onChange(() => this.#modelsChanged()),
      () => clearImmediate(first),
    ];
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const stop of this.#stops) stop();
  }

  #introduce(): void {
    const { project } = this.#session.parts;
    this.#tellCommands();
    this.#measure();
    this.#tellReset();
    for (const problem of project.config.problems) {
      this.#notice("A part of the configuration was left out", problem);
    }
    this.#modelsChanged();
    this.#serversChanged();
    void this.#lookForSandbox();
    const { untrustedConfig } = project;
    if (!untrustedConfig) return;
    const words = `${untrustedConfig.wants.join("; ")}. \`/trust\` shows them again and can allow them.`;
    this.#notice("Parts of this project's configuration need your approval", words);
  }

  #tellReset(): void {
    const level = this.#session.takeLevelReset();
    if (level === null) return;
    const lasts = "A permission level that you choose lasts until the agent restarts.";
    const next = `Choose ${levelName(level)} again if you still want it. To keep a level, set \`permission_level\` in the configuration.`;
    const title = `Permissions are back to ${levelName(this.#session.state.permissions)}`;
    this.#notice(title, `${lasts} ${next}`);
  }

  /** Runs after the response, because testing the sandbox starts a program. */
  async #lookForSandbox(): Promise<void> {
    const problem = await this.#session.workspace.sandbox.unreportedProblem();
    if (this.#isDisposed) return;
    this.#tellOptions();
    if (problem === null) return;
    const rest = "You are asked before commands that do more than read the project.";
    this.#notice("Commands run without a sandbox", `${problem} ${rest}`);
  }

  #serversChanged(): void {
    this.#tellCommands();
    for (const { name, state, problem } of this.#session.parts.mcp.status()) {
      if (state === "failed") this.#notice(`The MCP server ${name} can't be used`, problem ?? "");
    }
  }

  #tellOptions(): void {
    const options = configOptions(this.#session);
    const text = JSON.stringify(options);
    if (text !== this.#options)
      this.#send({ sessionUpdate: "config_option_update", configOptions: options });
    this.#options = text;
  }

  #modelsChanged(): void {
    this.#tellOptions();
    this.#sayOtherModel();
    for (const problem of this.#session.parts.models.notices()) {
      this.#notice("There is a problem with the models", problem);
    }
  }

  /** Announces that the default model changed during a conversation, because nobody chose the new one. */
  #sayOtherModel(): void {
    const { state } = this.#session;
    const { id, name } = modelOrDefault(this.#session);
    const isUnreported = id !== this.#modelId && state.model === null && state.turns.length > 0;
    this.#modelId = id;
    if (!isUnreported) return;
    const description = "It is the best that can be used now. Choose another one in the menu.";
    const title = `From the next message on, ${name} answers`;
    this.#show({ kind: "notice-given", at: Date.now(), severity: "info", title, description });
  }

  #tellCommands(): void {
    const commands = availableCommands(this.#session);
    const text = JSON.stringify(commands);
    if (text === this.#commands) return;
    this.#commands = text;
    this.#send({ sessionUpdate: "available_commands_update", availableCommands: commands });
  }

  #measure(): void {
    const measure = contextMeasure(this.#session.state, modelOrDefault(this.#session));
    if (measure) this.#show(measure);
  }

  #notice(title: string, description: string): void {
    const words = `${title}: ${description}`;
    if (this.#told.has(words)) return;
    this.#told.add(words);
    const at = Date.now();
    this.#show({ kind: "notice-given", at, severity: "warning", title, description });
  }
}
