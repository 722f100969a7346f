import type {
  ClientCapabilities,
  ContentBlock,
  SessionConfigOption,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import type { OptionsChanged, RawUpdate, SessionEvent, SessionView } from "@landline/protocol";
import { normaliseUpdate } from "@landline/protocol/compat";
import { setNewest } from "@landline/system/evict-oldest";
import { SentState, type OwnChoice } from "./sent-state.ts";

/** An update for an ACP client. `text` is the agent's own text where nothing had to change. */
export interface ClientUpdate {
  readonly kind: string;
  /** JSON of `params.update`. */
  readonly text: string;
  /** The id of the subagent's child session, or null for the session itself. */
  readonly child: string | null;
}

/** Updates that replace earlier state. A replay omits them, because the view has the current state. */
const stateKinds: ReadonlySet<string> = new Set([
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
]);

export const isState = ({ kind }: ClientUpdate): boolean => stateKinds.has(kind);

/** The client's id of a terminal that is in the client itself. */
export type TerminalOf = (terminalId: string) => string | undefined;

type TerminalContent = Extract<ToolCallContent, { readonly type: "terminal" }>;

interface ShownTerminal {
  readonly toolCallId: string;
  output: string;
}

/** Longer output is cut at its start, as `outputByteLimit` of ACP does. */
const outputLength = 100_000;

/** More terminals are rarely in use at once. A later update about an older one has no output. */
const terminalsKept = 32;

/**
 * Converts the events of one session into updates for an ACP client. Omits kinds that the client did not declare in its
 * capabilities. The client cannot read terminals of the gateway or of other clients, so their output is sent as text.
 */
export class ClientUpdates {
  readonly #capabilities: ClientCapabilities;
  readonly #echoesPrompts: boolean;
  readonly #terminalOf: TerminalOf;
  /** Queued prompts by id. */
  readonly #prompts = new Map<string, readonly ContentBlock[]>();
  readonly #terminals = new Map<string, ShownTerminal>();
  readonly #state = new SentState();

  /** `echoesPrompts`: the client receives its own prompts too, with their ids. */
  constructor(
    capabilities: ClientCapabilities,
    terminalOf: TerminalOf = () => undefined,
    echoesPrompts = false,
  ) {
    this.#capabilities = capabilities;
    this.#terminalOf = terminalOf;
    this.#echoesPrompts = echoesPrompts;
  }

  /** Adds a prompt that was queued before the first event. */
  expectPrompt(promptId: string, content: readonly ContentBlock[]): void {
    this.#prompts.set(promptId, content);
  }

  /** The client received the options of the view, in a response. */
  toldOptions(view: Pick<SessionView, "modes" | "configOptions">): void {
    this.#state.told({
      ...view,
      configOptions: view.configOptions && this.#known(view.configOptions),
    });
  }

  /** The commands and the usage, for a client that follows the session from now on. */
  stateOf({ commands, usage }: Pick<SessionView, "commands" | "usage">): ClientUpdate[] {
    const updates: ClientUpdate[] = [];
    this.#state.takesCommands(commands);
    if (commands.length > 0)
      updates.push(
        made({ sessionUpdate: "available_commands_update", availableCommands: commands }),
      );
    if (usage !== null) {
      const { cost, ...rest } = usage;
      updates.push(made({ sessionUpdate: "usage_update", ...rest, ...(cost && { cost }) }));
    }
    return updates;
  }

  /** The client itself chooses a mode or an option, so the result is no news to it. */
  choose(choice: OwnChoice): void {
    this.#state.choose(choice);
  }

  /** The choice was refused. */
  forgetChoice(choice: OwnChoice): void {
    this.#state.forget(choice);
  }

  /** `line` is the event's line in the log. `isOwn` reports whether the client itself sent a prompt. */
  of(event: SessionEvent, line: string, isOwn: (promptId: string) => boolean): ClientUpdate[] {
    switch (event.kind) {
      case "update":
        return this.#update(event.update, line, event.child ?? null);
      case "prompt-queued":
      case "prompt-changed":
        this.#prompts.set(event.promptId, event.content);
        return [];
      case "prompt-withdrawn":
        this.#prompts.delete(event.promptId);
        return [];
      case "turn-started":
        return this.#prompt(event.promptId, isOwn(event.promptId));
      case "options-changed":
        return this.#options(event);
      case "session-changed":
        return event.title === undefined
          ? []
          : [made({ sessionUpdate: "session_info_update", title: event.title })];
      case "terminal-output":
        this.#output(event.terminalId, event.text);
        return [];
      case "terminal-exited":
        return this.#terminalExited(event.terminalId);
      case "error":
        // A long update was passed on. That is for the operator.
        return event.code === "message-too-large" ? [] : this.#notice(event.message, event.help);
      default:
        return [];
    }
  }

  #update(given: RawUpdate, line: string, child: string | null): ClientUpdate[] {
    if (child !== null && !this.#has("subagents")) return [];
    const update = normaliseUpdate(given);
    const kind = typeof update["sessionUpdate"] === "string" ? update["sessionUpdate"] : "";
    if (!this.#takes(kind)) return [];
    const shown =
      kind === "config_option_update"
        ? this.#withKnownOptions(update)
        : this.withoutTerminals(update);
    if (child === null && !this.#state.takes(shown)) return [];
    if (shown !== given) return [{ kind, text: JSON.stringify(shown), child }];
    return [{ kind, text: line.slice(line.indexOf(UPDATE) + UPDATE.length, -1), child }];
  }

  #prompt(promptId: string, isOwn: boolean): ClientUpdate[] {
    const content = this.#prompts.get(promptId) ?? [];
    this.#prompts.delete(promptId);
    if (isOwn && !this.#echoesPrompts) return [];
    const ofMessage = this.#echoesPrompts ? { messageId: promptId } : {};
    return content.map((block) =>
      made({ sessionUpdate: "user_message_chunk", ...ofMessage, content: block }),
    );
  }

  #options(event: OptionsChanged): ClientUpdate[] {
    const known = event.configOptions && this.#known(event.configOptions);
    const { modes, configOptions } = this.#state.changed({
      ...event,
      ...(known && { configOptions: known }),
    });
    const updates: ClientUpdate[] = [];
    if (modes) {
      const { currentModeId } = modes;
      updates.push(made({ sessionUpdate: "current_mode_update", currentModeId }));
    }
    if (configOptions) updates.push(made({ sessionUpdate: "config_option_update", configOptions }));
    return updates;
  }

  #withKnownOptions(update: RawUpdate): RawUpdate {
    const { configOptions } = update;
    if (!Array.isArray(configOptions)) return update;
    const known = this.#known(configOptions as SessionConfigOption[]);
    return known.length === configOptions.length ? update : { ...update, configOptions: known };
  }

  #known(options: readonly SessionConfigOption[]): readonly SessionConfigOption[] {
    return optionsFor(this.#capabilities, options);
  }

  #notice(title: string, description: string | undefined): ClientUpdate[] {
    if (!this.#takes("notice")) return [];
    return [made({ sessionUpdate: "notice", severity: "error", title, description })];
  }

  #takes(kind: string): boolean {
    const { session } = this.#capabilities;
    switch (kind) {
      case "notice":
        return Boolean(session?.notices);
      case "compaction_update":
      case "compaction_summary_chunk":
        return Boolean(session?.compaction);
      case "plan_update":
      case "plan_removed":
        return this.#has("plan");
      case "subagent_update":
      case "session_message":
      case "session_message_chunk":
        return this.#has("subagents");
      default:
        return true;
    }
  }

  /** Reports whether the client declared a capability of the unstable schema. */
  #has(name: "plan" | "subagents"): boolean {
    const value = (this.#capabilities as Readonly<Record<string, unknown>>)[name];
    return typeof value === "object" && value !== null;
  }

  /** A tool call in an update or in a permission request. Terminals that the client cannot read become text. */
  withoutTerminals<ToolCall extends RawUpdate>(update: ToolCall): ToolCall {
    const { toolCallId, content } = update;
    if (typeof toolCallId !== "string" || !Array.isArray(content)) return update;
    const items = content as readonly (ToolCallContent | null)[];
    if (!items.some((item) => item?.type === "terminal")) return update;
    const shown = items.map((item) =>
      item?.type === "terminal" ? this.#terminalContent(toolCallId, item) : item,
    );
    return { ...update, content: shown };
  }

  #terminalContent(toolCallId: string, item: TerminalContent): ToolCallContent {
    const { terminalId } = item;
    const own = this.#terminalOf(terminalId);
    if (own !== undefined) return { ...item, terminalId: own };
    const shown = { toolCallId, output: this.#terminals.get(terminalId)?.output ?? "" };
    setNewest(this.#terminals, [terminalId, shown], terminalsKept);
    return outputContent(shown.output);
  }

  #output(terminalId: string, text: string): void {
    const shown = this.#terminals.get(terminalId) ?? { toolCallId: "", output: "" };
    shown.output = (shown.output + text).slice(-outputLength);
    setNewest(this.#terminals, [terminalId, shown], terminalsKept);
  }

  #terminalExited(terminalId: string): ClientUpdate[] {
    const shown = this.#terminals.get(terminalId);
    if (!shown || shown.toolCallId === "") return [];
    const { toolCallId, output } = shown;
    return [
      made({ sessionUpdate: "tool_call_update", toolCallId, content: [outputContent(output)] }),
    ];
  }
}

/** Omits option types that the client did not declare. */
export function optionsFor(
  { session }: ClientCapabilities,
  options: readonly SessionConfigOption[],
): readonly SessionConfigOption[] {
  if (session?.configOptions?.boolean) return options;
  return options.filter((option) => option?.type !== "boolean");
}

/** How the log writes an update (log/encode.ts). */
const UPDATE = ',"update":';

function outputContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}

/** An update that the gateway creates itself. */
function made(update: RawUpdate & { readonly sessionUpdate?: unknown }): ClientUpdate {
  return { kind: String(update["sessionUpdate"]), text: JSON.stringify(update), child: null };
}
