import { normaliseUpdate, type SessionEvent, type Update } from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import { isTextField } from "../tool-calls/raw-input.ts";
import { fieldOf, inputIsCut, stringOf } from "./reading.ts";
import type { AnyEvent } from "./session-facts.ts";
import { clipText } from "./text.ts";

/**
 * The same events, with the beginning of those texts of prompts, messages and inputs of tool calls in place that were
 * too long for the log. For the tables only: views keep the reference.
 */
export async function withLongTexts(
  log: ReadableLog,
  events: readonly AnyEvent[],
  length: number,
): Promise<readonly AnyEvent[]> {
  if (!events.some(hasLongText)) return events;
  const texts = new LongTexts(log, length);
  const result: AnyEvent[] = [];
  for (const event of events)
    result.push(hasLongText(event) ? await texts.event(event as SessionEvent) : event);
  return result;
}

function hasLongText(any: AnyEvent): boolean {
  const event = any as SessionEvent;
  switch (event.kind) {
    case "prompt-queued":
    case "prompt-changed":
      return event.content.some((block) => hashOf(fieldOf(block, "text")) !== undefined);
    case "update":
      return hasReference(event.update);
    case "ask-opened":
      return event.ask === "permission" && hasReference(event.toolCall);
    default:
      return false;
  }
}

/** Deeper, an input is not read. */
const depthMax = 20;

function hasReference(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > depthMax) return false;
  if (hashOf(value) !== undefined) return true;
  return Object.values(value).some((inner) => hasReference(inner, depth + 1));
}

class LongTexts {
  readonly #log: ReadableLog;
  readonly #length: number;
  /** Whether a text was longer than it may be. */
  #isCut = false;

  constructor(log: ReadableLog, length: number) {
    this.#log = log;
    this.#length = length;
  }

  async event(event: SessionEvent): Promise<AnyEvent> {
    switch (event.kind) {
      case "prompt-queued":
      case "prompt-changed": {
        const content: unknown[] = [];
        for (const block of event.content) content.push(await this.#block(block));
        return { ...event, content: content as typeof event.content };
      }
      case "update":
        return { ...event, update: await this.#update(event.update) };
      case "ask-opened": {
        if (event.ask !== "permission") return event;
        return { ...event, toolCall: await this.#toolCall(event.toolCall) };
      }
      default:
        return event;
    }
  }

  async #update(raw: Update["update"]): Promise<Update["update"]> {
    const update = normaliseUpdate(raw);
    switch (update["sessionUpdate"]) {
      case "tool_call":
      case "tool_call_update":
        return this.#toolCall(update);
      default:
        return { ...raw, content: await this.#block(raw["content"]) };
    }
  }

  async #toolCall<Call extends { readonly rawInput?: unknown }>(toolCall: Call): Promise<Call> {
    this.#isCut = false;
    const rawInput = await this.#input(toolCall.rawInput);
    return { ...toolCall, rawInput, ...(this.#isCut ? { [inputIsCut]: true } : {}) };
  }

  async #block(block: unknown): Promise<unknown> {
    const text = await this.#text(hashOf(fieldOf(block, "text")));
    return text === null ? block : { ...(block as object), text };
  }

  /** `field` is the one that the value is in. Text that names nothing is not read. */
  async #input(value: unknown, field = "", depth = 0): Promise<unknown> {
    if (typeof value !== "object" || value === null || depth > depthMax) return value;
    if (isReference(value))
      return isTextField(field) ? "" : ((await this.#text(hashOf(value))) ?? value);
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await this.#input(item, field, depth + 1));
      return items;
    }
    const fields: [string, unknown][] = [];
    for (const [name, inner] of Object.entries(value))
      fields.push([name, await this.#input(inner, name, depth + 1)]);
    return Object.fromEntries(fields);
  }

  async #text(hash: string | undefined): Promise<string | null> {
    const bytes = hash === undefined ? null : await this.#log.blob(hash);
    if (bytes === null) return null;
    // No character takes more than three bytes for each of its units.
    const text = bytes.toString("utf8", 0, this.#length * 3);
    if (text.length > this.#length) this.#isCut = true;
    return clipText(text, this.#length);
  }
}

/** Made by the log: an object of an agent that has more fields hides none of them behind `$blob`. */
function isReference(value: object): boolean {
  const isHash = /^[0-9a-f]{64}$/.test(hashOf(value) ?? "");
  return isHash && Object.keys(value).join(" ") === "$blob bytes";
}

/** Of a text that stands as a reference. */
function hashOf(value: unknown): string | undefined {
  return stringOf(fieldOf(value, "$blob"));
}
