import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import {
  isModeOption,
  withMode,
  type OptionsChanged,
  type RawUpdate,
  type SessionView,
} from "@landline/protocol";
import { evictOldest } from "@landline/system/evict-oldest";

/** A mode or config option that the client itself chooses. It learns the result from the response. */
export interface OwnChoice {
  /** Null: the mode. */
  readonly configId: string | null;
  readonly value: unknown;
}

type Options = readonly SessionConfigOption[];

/** Choices that were not recorded yet. */
const choicesKept = 100;

/** What one ACP client was told about the options and commands of a session, so that nothing is repeated. */
export class SentState {
  #modeId: string | null = null;
  #options: Options | null = null;
  #commands = "";
  readonly #choices = new Set<OwnChoice>();

  /** The client received the options of the view, in a response. */
  told({ modes, configOptions }: Pick<SessionView, "modes" | "configOptions">): void {
    this.#modeId = modes?.currentModeId ?? null;
    this.#options = configOptions;
  }

  /** The agent sent an update. Returns false if the client knows its content. */
  takes(update: RawUpdate): boolean {
    switch (update["sessionUpdate"]) {
      case "current_mode_update":
        this.#modeId = String(update["currentModeId"]);
        return true;
      case "config_option_update":
        this.#options = update["configOptions"] as Options;
        return true;
      case "available_commands_update":
        return this.takesCommands(update["availableCommands"]);
      default:
        return true;
    }
  }

  takesCommands(commands: unknown): boolean {
    const text = JSON.stringify(commands);
    if (text === this.#commands) return false;
    this.#commands = text;
    return true;
  }

  choose(choice: OwnChoice): void {
    this.#choices.add(choice);
    evictOldest(this.#choices, choicesKept);
  }

  /** The choice was refused. */
  forget(choice: OwnChoice): void {
    this.#choices.delete(choice);
  }

  /** Options were recorded. Returns what is new to the client. */
  changed(event: OptionsChanged): Pick<OptionsChanged, "modes" | "configOptions"> {
    const { modes, configOptions } = event;
    const own = this.#choices.values().find((choice) => isResult(choice, event));
    if (own) this.#take(own, event);
    const isNewMode = Boolean(modes) && modes?.currentModeId !== this.#modeId;
    const isNewOptions =
      configOptions !== undefined &&
      JSON.stringify(configOptions) !== JSON.stringify(this.#options);
    if (modes) this.#modeId = modes.currentModeId;
    if (configOptions) this.#options = configOptions;
    return { ...(isNewMode && { modes }), ...(isNewOptions && { configOptions }) };
  }

  /** The response to a choice of an option has all options; that to a choice of a mode has none. */
  #take(own: OwnChoice, { modes, configOptions }: OptionsChanged): void {
    this.#choices.delete(own);
    if (modes && modes.currentModeId === own.value) this.#modeId = modes.currentModeId;
    if (own.configId !== null) this.#options = configOptions ?? this.#options;
    else
      this.#options = withMode(
        { modes: null, configOptions: this.#options },
        String(own.value),
      ).configOptions;
  }
}

function isResult(
  { configId, value }: OwnChoice,
  { modes, configOptions, models }: OptionsChanged,
): boolean {
  const options = configOptions ?? [];
  const isNamed = (option: SessionConfigOption) =>
    configId === null ? isModeOption(option) : option.id === configId;
  if (options.some((option) => isNamed(option) && option.currentValue === value)) return true;
  if (configId === null) return modes?.currentModeId === value;
  return configId === "model" && models?.currentModelId === value;
}
