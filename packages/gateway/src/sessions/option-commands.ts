import { LandlineError } from "@landline/protocol";
import type { AgentLink } from "./agent-link.ts";
import type { AgentSettings } from "./agent-settings.ts";
import {
  chooseConfig,
  chooseMode,
  isChosen,
  optionsEvent,
  withoutChoice,
  type Choice,
  type Options,
} from "./options.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionHost } from "./session-host.ts";
import { mustBeOpen, type StateMachine } from "./session-state.ts";
import type { OpenRequest } from "./sessions.ts";

export interface OptionCommandsOptions {
  readonly host: SessionHost;
  readonly settings: AgentSettings;
  readonly state: StateMachine;
  readonly recorder: Recorder;
  readonly agent: AgentLink;
}

/** Commands of clients that choose modes and config options of the agent. */
export class OptionCommands {
  readonly #options: OptionCommandsOptions;

  constructor(options: OptionCommandsOptions) {
    this.#options = options;
  }

  setMode(modeId: string, by: string): Promise<void> {
    return this.#choose((options) => chooseMode(options, modeId), by);
  }

  setConfig(configId: string, value: string | boolean, by: string): Promise<void> {
    return this.#choose((options) => chooseConfig(options, configId, value), by);
  }

  /** New sessions with this agent start with the current value. */
  remember(configId: string): Promise<void> {
    const { host, settings } = this.#options;
    return host.rememberedOptions.note(settings.agent, configId, settings.options);
  }

  /** Starts the agent of a new session and applies its choices. A refused choice is recorded as an error. */
  async applyInitial({ config = [], by }: Pick<OpenRequest, "config" | "by">): Promise<void> {
    const { agent, settings, recorder } = this.#options;
    const run = await agent.ensure();
    for (const { configId, value } of config) {
      if (agent.run === run && isChosen(settings.options, configId, value)) continue;
      try {
        await this.setConfig(configId, value, by);
      } catch (error) {
        if (!(error instanceof LandlineError)) throw error;
        recorder.record(withoutChoice(configId, value, error));
        // Stop if the agent hangs or has ended.
        if (error.code === "timeout" || agent.run !== run) return;
      }
    }
  }

  async #choose(choiceOf: (options: Options) => Choice, by: string): Promise<void> {
    const { settings, recorder, agent } = this.#options;
    await beforeAgentCommand(this.#options);
    await agent.choose(choiceOf);
    recorder.record(optionsEvent(settings.options, by));
    await recorder.whenDurable();
  }
}

/** Waits for everything that must precede a command for the agent. Throws if the session is not open. */
export async function beforeAgentCommand({
  host,
  settings,
  state,
  recorder,
}: OptionCommandsOptions): Promise<void> {
  if (state.now.access === "paused") await host.paused.over(settings.agent);
  mustBeOpen(state.now);
  // The missing end events precede everything from the new agent.
  recorder.recordEnds();
}
