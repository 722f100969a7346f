import {
  executionText,
  personName,
  type Item,
  type NamedPlan,
  type SessionView,
  type Subagent,
  type ToolCallItem,
} from "@landline/protocol";
import { maskText } from "../../telemetry/mask-secrets.ts";
import type { Names } from "../tokens.ts";
import { requestText } from "./request-entry.ts";
import type { Chapter } from "./chapters.ts";
import { blockParts, checklist, code, json, prose, remark, type Part } from "./parts.ts";
import { toolNote, toolParts } from "./tool-parts.ts";

/** One entry of an exported conversation. */
export interface Entry {
  readonly heading: string;
  /** 3 for the entries of a subagent. */
  readonly level: 2 | 3;
  /** Smaller text below the heading. */
  readonly note: string;
  /** Null where no single time applies. */
  readonly at: number | null;
  readonly parts: readonly Part[];
}

/** The person who exports the session, and the names of all others. */
export interface People {
  readonly me: string;
  readonly names: Names;
}

/** The whole conversation in order, with subagents after it and the plan at the end. Secrets are masked. */
export async function* entriesOf(
  chapters: AsyncIterable<Chapter>,
  people: People,
): AsyncGenerator<Entry> {
  let lastSubagent: string | null = null;
  for await (const { view, items, subagents, isLast } of chapters) {
    if (items.length > 0) lastSubagent = null;
    for (const [index, item] of items.entries())
      yield shown(item, { view, people, items: view.items, previous: items[index - 1] });
    for (const { subagent, items: done } of subagents) {
      if (subagent.key !== lastSubagent) yield subagentEntry(subagent);
      lastSubagent = subagent.key;
      for (const [index, item] of done.entries()) {
        const { items: all } = subagent;
        const place = { view, people, items: all, previous: done[index - 1], subagent };
        yield { ...shown(item, place), level: 3 };
      }
    }
    if (isLast) yield* planEntries(view);
  }
}

interface Place {
  readonly view: SessionView;
  readonly people: People;
  /** Items of the same thread. */
  readonly items: readonly Item[];
  readonly previous: Item | undefined;
  /** The subagent of the thread; absent for the main thread. */
  readonly subagent?: Subagent;
}

function shown(item: Item, place: Place): Entry {
  return readable(item.type, item, () => entryOf(item, place));
}

/** A view contains agents' data in any form. What cannot be interpreted is shown as JSON. */
function readable(heading: string, value: unknown, make: () => Entry): Entry {
  try {
    return masked(make());
  } catch {
    return { heading, level: 2, note: "", at: null, parts: json(value) };
  }
}

function subagentEntry({ title, agentType, key, state }: Subagent): Entry {
  const heading = `Subagent: ${title ?? agentType ?? key}`;
  const note = state.replaceAll("_", " ");
  return readable("Subagent", { title, key }, () => ({
    heading,
    level: 2,
    note,
    at: null,
    parts: [],
  }));
}

function* planEntries({ plan, plans }: SessionView): Generator<Entry> {
  const heading = "The plan, as it was at the end";
  const entry = (value: unknown, parts: () => readonly Part[]) =>
    readable(heading, value, () => ({ heading, level: 2, note: "", at: null, parts: parts() }));
  if (plan.length > 0) yield entry(plan, () => listParts(plan));
  for (const named of plans) yield entry(named, () => planParts(named));
}

function planParts(plan: NamedPlan): readonly Part[] {
  switch (plan.type) {
    case "items":
      return listParts(plan.entries);
    case "file":
      return remark(`It is in ${plan.uri}.`);
    default:
      return prose(plan.content);
  }
}

function listParts(entries: unknown): readonly Part[] {
  const list = checklist(entries);
  return list === null ? json(entries) : [list];
}

function masked(entry: Entry): Entry {
  return {
    ...entry,
    heading: oneLine(maskText(entry.heading)),
    note: oneLine(maskText(entry.note)),
    parts: entry.parts.map(maskedPart),
  };
}

function maskedPart(part: Part): Part {
  switch (part.type) {
    case "image":
      return { ...part, mimeType: oneLine(part.mimeType) };
    case "facts":
      return {
        ...part,
        facts: part.facts.map(([name, value]) => [name.trim(), maskText(value).trim()]),
      };
    case "checklist":
      return {
        ...part,
        entries: part.entries.map(({ text, status }) => ({ text: maskText(text), status })),
      };
    default:
      return { ...part, text: maskText(part.text) };
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function entryOf(item: Item, { view, people, items, previous, subagent }: Place): Entry {
  const entry = (heading: string, note: string, parts: readonly Part[]): Entry => ({
    heading,
    level: 2,
    note,
    at: item.at,
    parts,
  });
  switch (item.type) {
    case "prompt":
      return entry(nameOf(item.by, people), "", item.content.flatMap(blockParts));
    case "message":
      return entry(item.role === "agent" ? "Agent" : "User", "", item.content.flatMap(blockParts));
    case "thought":
      return entry("Thought", "", item.content.flatMap(blockParts));
    case "tool-call":
      return entry(`Tool: ${item.title}`, toolNote(item, view), [
        ...remark(executedAs(item, people, subagent)),
        ...toolParts(item, view),
      ]);
    case "ask": {
      const { heading, note, parts } = requestText(item, items, (by) => nameOf(by, people));
      return { ...entry(heading, note, parts), at: item.settled?.at ?? item.at };
    }
    case "turn-ended":
      return entry(turnEnds[item.stopReason] ?? `The turn ended: ${item.stopReason}`, "", [
        ...(isToldBy(item.error, previous) ? [] : prose(item.error?.message ?? "")),
      ]);
    case "notice":
      return entry(item.title, item.severity, prose(item.description ?? ""));
    case "compaction":
      return entry(
        compactions[item.status] ?? "The agent started to compact the conversation",
        item.error ?? "",
        item.summary.flatMap(blockParts),
      );
    case "session-message":
      return entry("Message between agents", "", item.content.flatMap(blockParts));
    case "agent-started":
      return entry(starts[item.how] ?? "The agent came back", "", []);
    case "agent-exited":
      return entry(exitWords(item), "", code(item.stderr));
    case "error":
      return entry("Error", item.code, prose([item.message, item.help ?? ""].join("\n\n").trim()));
    default:
      return entry(`Unknown ${item.of}`, item.name, json(item.value));
  }
}

/** Who ran a call, how it was confined, and who allowed it. */
export function executedAs(item: ToolCallItem, people: People, subagent?: Subagent): string {
  return executionText(item, {
    person: (id) => (id === people.me ? "you" : nameOf(id, people)),
    subagent: subagent?.title ?? subagent?.agentType ?? null,
  });
}

/** Same names as on the page, except that an export has the id where the page says "somebody else". */
function nameOf(clientId: string | null, { me, names }: People): string {
  if (clientId === me) return "You";
  return clientId === null ? "Somebody" : (personName(clientId, names) ?? clientId);
}

/** Usually, the item before the end of a failed turn is its error. */
function isToldBy(error: { readonly message: string } | null, previous: Item | undefined): boolean {
  return previous?.type === "error" && previous.message === error?.message;
}

const turnEnds: Readonly<Record<string, string>> = {
  cancelled: "The turn was stopped",
  failed: "The turn failed",
  interrupted: "The turn was cut off",
  max_tokens: "The turn ended: the answer reached the length limit",
  max_turn_requests: "The turn ended: the agent reached its limit of steps",
  refusal: "The agent refused to continue",
};

const compactions: Readonly<Record<string, string>> = {
  completed: "The agent compacted the conversation",
  failed: "The agent could not compact the conversation",
};

const starts: Readonly<Record<string, string>> = {
  new: "The agent was restarted and did not remember the conversation",
  resume: "The agent was restarted and resumed the conversation",
  load: "The agent was restarted and loaded the conversation",
  fork: "The agent was restarted with a copy of the conversation",
  transcript: "The agent was restarted with a transcript of the conversation",
};

function exitWords({ code: exitCode, signal }: Extract<Item, { type: "agent-exited" }>): string {
  if (signal === "SIGTERM" || signal === "SIGKILL") return "The agent was ended";
  if (signal !== null) return `The agent crashed (${signal})`;
  if (exitCode === null) return "The agent exited";
  return exitCode === 0 ? "The agent ended" : `The agent ended with code ${exitCode}`;
}
