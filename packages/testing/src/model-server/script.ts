import type { Reply } from "./reply.ts";
import type { ModelRequest, ProviderName } from "./request.ts";

/** A list of replies, or a function that creates them. */
export type Script = readonly ScriptEntry[] | ScriptFunction;

type ScriptFunction = (request: ModelRequest) => Answer | Promise<Answer>;

/** A string is a reply with that text. */
type Answer = Reply | string;

export type ScriptEntry = ScriptedReply | string;

interface ScriptedReply extends Reply {
  /** The requests that it matches. Default: all. All given fields must match. */
  readonly when?: When;
  /** How many requests it answers. Default: one. */
  readonly times?: number | "always";
}

export interface When {
  /** Text in the last message of the user. */
  readonly userText?: string;
  readonly system?: string;
  /** Text in one of the latest tool results; true or false: whether there are any. */
  readonly toolResult?: string | boolean;
  /** The name of a tool that the request offers. */
  readonly tool?: string;
  readonly model?: string;
  readonly provider?: ProviderName;
  readonly stream?: boolean;
}

/**
 * Picks replies: the first entry that matches the request and is not used up. A request without a match gets null, and
 * marks the script as exhausted.
 */
export class ScriptReader {
  readonly #script: Script;
  readonly #left: number[];
  exhausted = false;

  constructor(script: Script) {
    this.#script = script;
    this.#left = typeof script === "function" ? [] : script.map(timesOf);
  }

  async next(request: ModelRequest): Promise<Reply | null> {
    if (typeof this.#script === "function") return replyOf(await this.#script(request));
    const index = this.#script.findIndex(
      (entry, at) => (this.#left[at] ?? 0) > 0 && fits(entry, request),
    );
    const entry = this.#script[index];
    if (entry === undefined) {
      this.exhausted = true;
      return null;
    }
    this.#left[index] = (this.#left[index] ?? 0) - 1;
    return replyOf(entry);
  }

  /** The message for a request without a match. */
  explain(request: ModelRequest): string {
    const asked = request.userText.slice(0, 80);
    return (
      `The script of the model server is exhausted: request ${request.number} ` +
      `(${request.provider}, model "${request.model}", last user text "${asked}", ` +
      `${request.toolResults.length} tool results) fits none of the ` +
      `${this.#left.filter((left) => left > 0).length} replies that are left of ` +
      `${this.#left.length}. Add a reply to the script, or widen a "when".`
    );
  }
}

function timesOf(entry: ScriptEntry): number {
  const times = typeof entry === "string" ? 1 : (entry.times ?? 1);
  return times === "always" ? Infinity : times;
}

function replyOf(answer: Answer): Reply {
  return typeof answer === "string" ? { parts: [{ type: "text", text: answer }] } : answer;
}

function fits(entry: ScriptEntry, request: ModelRequest): boolean {
  const when = typeof entry === "string" ? {} : (entry.when ?? {});
  const { userText, system, toolResult, tool, model, provider, stream } = when;
  return (
    (userText === undefined || request.userText.includes(userText)) &&
    (system === undefined || request.system.includes(system)) &&
    (toolResult === undefined || fitsResults(toolResult, request)) &&
    (tool === undefined || request.tools.some(({ name }) => name === tool)) &&
    (model === undefined || request.model === model) &&
    (provider === undefined || request.provider === provider) &&
    (stream === undefined || request.stream === stream)
  );
}

function fitsResults(wanted: string | boolean, { toolResults }: ModelRequest): boolean {
  if (typeof wanted === "boolean") return toolResults.length > 0 === wanted;
  return toolResults.some(({ text }) => text.includes(wanted));
}
