import { blobOf, type Block, type Change, type ToolCallItem } from "@landline/protocol";
import type { ReadableLog } from "../log/log.ts";
import { isTextField } from "../tool-calls/raw-input.ts";
import { mayNameMore } from "./call-record.ts";
import { clipText } from "./clean-text.ts";

/** A change with its long texts. `isCut`: only the beginning of the call's input was read. */
export type ReadChange = Change & { readonly isCut?: true };

/**
 * Replaces blob references in prompts and tool call inputs by the beginning of their text. For the tables only: views
 * keep the reference.
 */
export async function withLongTexts(
  log: ReadableLog,
  changes: readonly Change[],
  length: number,
): Promise<readonly ReadChange[]> {
  if (!changes.some(hasLongText)) return changes;
  const result: ReadChange[] = [];
  for (const change of changes)
    result.push(hasLongText(change) ? await new LongTexts(log, length).change(change) : change);
  return result;
}

/** The text of content, at most `length` characters. */
export async function longText(
  log: ReadableLog,
  content: readonly Block[],
  length: number,
): Promise<string> {
  const texts = new LongTexts(log, length);
  let text = "";
  for (const block of content) {
    if (text.length >= length) break;
    text += partOf(await texts.block(block));
  }
  return clipText(text, length);
}

function partOf(block: Block): string {
  return block.type === "text" ? block.text : "";
}

function hasLongText(change: Change): boolean {
  if (change.of === "prompt") return change.prompt?.content.some(isLong) === true;
  if (change.of !== "item" || change.item.type !== "tool-call") return false;
  const before = change.before?.type === "tool-call" ? change.before : null;
  return mayNameMore(change.item, before) && hasReference(change.item.rawInput);
}

function isLong(block: Block): boolean {
  return block.blob !== undefined;
}

/** Deeper values of an input are not read. */
const depthMax = 20;

function hasReference(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null || depth > depthMax) return false;
  if (blobOf(value) !== null) return true;
  return Object.values(value).some((inner) => hasReference(inner, depth + 1));
}

class LongTexts {
  readonly #log: ReadableLog;
  readonly #length: number;
  /** Whether a text was cut. */
  #isCut = false;

  constructor(log: ReadableLog, length: number) {
    this.#log = log;
    this.#length = length;
  }

  async change(change: Change): Promise<ReadChange> {
    if (change.of === "prompt" && change.prompt !== null) {
      const content: Block[] = [];
      for (const block of change.prompt.content) content.push(await this.block(block));
      return { ...change, prompt: { ...change.prompt, content } };
    }
    if (change.of !== "item" || change.item.type !== "tool-call") return change;
    const rawInput = await this.#input(change.item.rawInput);
    const item: ToolCallItem = { ...change.item, rawInput };
    return { ...change, item, ...(this.#isCut ? { isCut: true } : {}) };
  }

  async block(block: Block): Promise<Block> {
    const text = block.type === "text" ? await this.#text(block.blob?.$blob) : null;
    return text === null ? block : ({ ...block, text } as Block);
  }

  /** `field` is the one that the value is in. Text that names nothing is not read. */
  async #input(value: unknown, field = "", depth = 0): Promise<unknown> {
    if (typeof value !== "object" || value === null || depth > depthMax) return value;
    const blob = isReference(value) ? blobOf(value) : null;
    if (blob) return isTextField(field) ? "" : ((await this.#text(blob.$blob)) ?? value);
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

/** Only an object with exactly the fields of a reference counts, so that an agent cannot hide others behind `$blob`. */
function isReference(value: object): boolean {
  const isHash = /^[0-9a-f]{64}$/.test(blobOf(value)?.$blob ?? "");
  return isHash && Object.keys(value).join(" ") === "$blob bytes";
}
