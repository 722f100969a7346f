import {
  personName,
  type Block,
  type Item,
  type SessionView,
  type Subagent,
  type ToolCallItem,
} from "@landline/protocol";
import { maskSecrets, maskText } from "../../observe/mask.ts";
import type { Names } from "../tokens.ts";

/** One thing of a conversation, as a page of text shows it. */
export interface Entry {
  readonly heading: string;
  /** Smaller words below the heading. */
  readonly note: string;
  readonly at: number;
  readonly parts: readonly Part[];
}

export type Part =
  | { readonly type: "prose"; readonly text: string }
  | { readonly type: "code"; readonly text: string; readonly language: string }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string };

/** The whole conversation in order, subagents after it. Secrets are masked. */
export function* entriesOf(view: SessionView, people: Names): Generator<Entry> {
  for (const item of view.items) yield shown(item, view, people);
  for (const subagent of view.subagents) {
    const about = subagentName(subagent);
    for (const item of subagent.items) {
      const entry = shown(item, view, people);
      yield { ...entry, heading: `${about}: ${entry.heading}` };
    }
  }
}

/** A view holds what agents sent, and they may send anything: what can't be read is shown as it is. */
function shown(item: Item, view: SessionView, people: Names): Entry {
  try {
    return masked(entryOf(item, view, people));
  } catch {
    return { heading: item.type, note: "", at: item.at, parts: json(item) };
  }
}

function subagentName({ title, agentType, key }: Subagent): string {
  return oneLine(maskText(`Subagent ${title ?? agentType ?? key}`));
}

function masked(entry: Entry): Entry {
  return {
    ...entry,
    heading: oneLine(maskText(entry.heading)),
    note: oneLine(maskText(entry.note)),
    parts: entry.parts.map((part) =>
      part.type === "image" ? part : { ...part, text: maskText(part.text) },
    ),
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function entryOf(item: Item, view: SessionView, people: Names): Entry {
  const entry = (heading: string, note: string, parts: readonly Part[]): Entry => ({
    heading,
    note,
    at: item.at,
    parts,
  });
  switch (item.type) {
    case "prompt":
      return entry("You", nameOf(item.by ?? "", people), item.content.flatMap(blockParts));
    case "message":
      return entry(item.role === "agent" ? "Agent" : "User", "", item.content.flatMap(blockParts));
    case "thought":
      return entry("Thought", "", item.content.flatMap(blockParts));
    case "tool-call":
      return entry(`Tool: ${item.title}`, toolNote(item), toolParts(item, view));
    case "ask":
      return entry("Asked", askNote(item, people), prose(item.settled?.note ?? ""));
    case "turn-ended":
      return entry("The turn ended", item.error?.message ?? item.stopReason, []);
    case "notice":
      return entry(item.title, item.severity, prose(item.description ?? ""));
    case "compaction":
      return entry("Compaction", item.error ?? item.status, item.summary.flatMap(blockParts));
    case "session-message":
      return entry("Message between agents", "", item.content.flatMap(blockParts));
    case "agent-started":
      return entry("The agent was started again", item.how, []);
    case "agent-exited":
      return entry("The agent ended", exitNote(item), code(item.stderr));
    case "error":
      return entry("Error", item.code, prose([item.message, item.help ?? ""].join("\n")));
    default:
      return entry(`Unknown ${item.of}`, item.name, json(item.value));
  }
}

function toolNote({ kind, status, ended, locations }: ToolCallItem): string {
  const places = locations.map(({ path, line }) => (line ? `${path}:${line}` : path));
  return [kind, ended ?? status, ...places].join(", ");
}

function toolParts(item: ToolCallItem, view: SessionView): readonly Part[] {
  const parts = item.content.flatMap((content): readonly Part[] => {
    switch (content.type) {
      case "content":
        return blockParts(content.content);
      case "diff":
        return diffParts(content);
      case "terminal": {
        const terminal = view.terminals.find(({ terminalId }) => terminalId === content.terminalId);
        return terminal
          ? code(`$ ${[terminal.command, ...terminal.args].join(" ")}\n${terminal.text}`)
          : [];
      }
      default:
        return json(content);
    }
  });
  const input = item.rawInput === undefined || item.rawInput === null ? [] : json(item.rawInput);
  return [...input, ...parts];
}

interface Diff {
  readonly path: string;
  readonly oldText?: string | null;
  readonly newText: string;
}

/** Both texts in full: what an agent claims to have changed is shown as it claims it. */
function diffParts({ path, oldText, newText }: Diff): readonly Part[] {
  const before = oldText === undefined || oldText === null ? [] : marked("-", oldText);
  const lines = [`--- ${path}`, `+++ ${path}`, ...before, ...marked("+", newText)];
  return [{ type: "code", language: "diff", text: lines.join("\n") }];
}

function marked(mark: string, text: unknown): readonly string[] {
  return textOf(text)
    .split("\n")
    .map((line) => `${mark}${line}`);
}

/** The page says the same; where it says "somebody else", a page to take away has the id. */
function nameOf(clientId: string, people: Names): string {
  return personName(clientId, people) ?? clientId;
}

function askNote(item: Extract<Item, { type: "ask" }>, people: Names): string {
  const about = item.ask === "question" ? item.request.message : (item.toolCallId ?? "");
  if (item.settled === null) return `${about}: not answered`;
  const { outcome, by } = item.settled;
  const said = "action" in outcome ? outcome.action : outcome.outcome;
  const option = "optionId" in outcome ? ` ${String(outcome.optionId)}` : "";
  const who = "client" in by ? nameOf(by.client, people) : Object.values(by).join("");
  return `${about}: ${said}${option}, by ${who}`;
}

function exitNote({ code: exitCode, signal }: Extract<Item, { type: "agent-exited" }>): string {
  return signal === null ? `code ${exitCode ?? "unknown"}` : `signal ${signal}`;
}

function blockParts(block: Block): readonly Part[] {
  if (block.blob) return prose(blobWords(block.blob));
  switch (block.type) {
    case "text":
      return prose(textOf(block.text));
    case "image":
      return [{ type: "image", mimeType: textOf(block.mimeType), data: textOf(block.data) }];
    case "audio":
      return prose(`[audio, ${block.mimeType}]`);
    case "resource_link":
      return prose(`[${block.title ?? block.name}] ${block.uri}`);
    case "resource": {
      const { resource } = block;
      return [
        ...prose(resource.uri),
        ...("text" in resource ? code(textOf(resource.text)) : prose("[binary]")),
      ];
    }
    default:
      return json(block);
  }
}

/** A string of the log may be a reference to a text that is kept beside it. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const reference = value as { $blob?: unknown; bytes?: unknown } | null | undefined;
  return typeof reference?.$blob === "string"
    ? blobWords({ $blob: reference.$blob, bytes: Number(reference.bytes) })
    : "";
}

function blobWords({ $blob, bytes }: { readonly $blob: string; readonly bytes: number }): string {
  return `[a text of ${bytes} bytes, kept beside the log as ${$blob}]`;
}

function prose(text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ type: "prose", text }];
}

function code(text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ type: "code", language: "", text }];
}

function json(value: unknown): readonly Part[] {
  const text = JSON.stringify(maskSecrets(value), null, 2);
  return [{ type: "code", language: "json", text }];
}
