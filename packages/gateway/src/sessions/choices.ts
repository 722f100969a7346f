import { LandlineError } from "@landline/protocol";
import type { AgentLink } from "./agent-link.ts";
import type { Facts } from "./facts.ts";
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

export interface ChoicesOptions {
  readonly host: SessionHost;
  readonly facts: Facts;
  readonly state: StateMachine;
  readonly recorder: Recorder;
  readonly agent: AgentLink;
}

/** Commands of clients that choose modes and config options of the agent. */
export class Choices {
  readonly #options: ChoicesOptions;

  constructor(options: ChoicesOptions) {
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
    const { host, facts } = this.#options;
    return host.lastChoices.note(facts.agent, configId, facts.options);
  }

  /** Starts the agent of a new session and applies its choices. A refused choice is recorded as an error. */
  async makeFirst({ config = [], by }: Pick<OpenRequest, "config" | "by">): Promise<void> {
    const { agent, facts, recorder } = this.#options;
    const run = await agent.ensure();
    for (const { configId, value } of config) {
      if (agent.run === run && isChosen(facts.options, configId, value)) continue;
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
    const { host, facts, state, recorder, agent } = this.#options;
    if (state.now.access === "paused") await host.paused.over(facts.agent);
    mustBeOpen(state.now);
    // The missing end events precede everything from the new agent.
    recorder.recordEnds();
    await agent.choose(choiceOf);
    recorder.record(optionsEvent(facts.options, by));
    await recorder.whenDurable();
  }
}
