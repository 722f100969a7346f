import { readdir } from "node:fs/promises";
import type { EventKind, SessionEvent } from "@landline/protocol";
import { expect } from "vitest";

type Of<Kind extends EventKind> = Extract<SessionEvent, { kind: Kind }>;

export function eventsOf<Kind extends EventKind>(
  events: readonly SessionEvent[],
  kind: Kind,
): Of<Kind>[] {
  return events.filter((event): event is Of<Kind> => event.kind === kind);
}

/** Sequence numbers have no gaps, and everything that was opened is closed, once. */
export function checkWhole(events: readonly SessionEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
  const ids = <Kind extends EventKind>(kind: Kind, idOf: (event: Of<Kind>) => string) =>
    eventsOf(events, kind).map(idOf).sort();
  const turns = ids("turn-started", ({ turnId }) => turnId);
  expect(ids("turn-ended", ({ turnId }) => turnId)).toEqual(turns);
  expect(new Set(turns).size).toBe(turns.length);
  expect(ids("ask-settled", ({ askId }) => askId)).toEqual(ids("ask-opened", ({ askId }) => askId));
  expect(ids("terminal-exited", ({ terminalId }) => terminalId)).toEqual(
    ids("terminal-opened", ({ terminalId }) => terminalId),
  );
  expect(ids("agent-exited", () => "")).toEqual(ids("agent-started", () => ""));
  // No prompt was queued twice, and none had two turns.
  for (const kind of ["prompt-queued", "turn-started"] as const) {
    const promptIds = ids(kind, ({ promptId }) => promptId);
    expect(new Set(promptIds).size).toBe(promptIds.length);
  }
}

/**
 * The agent numbers its output: each message has the numbers from 0 up, each once. History that it replays after a
 * restart must not be among them.
 */
export function checkNumbered(events: readonly SessionEvent[]): number {
  const messages = new Map<unknown, number>();
  for (const { update } of eventsOf(events, "update")) {
    const { messageId, content } = update as { messageId?: string; content?: { text?: string } };
    const said = /^(\d+)\b/.exec(content?.text ?? "")?.[1];
    if (messageId === undefined || said === undefined) continue;
    const next = messages.get(messageId) ?? 0;
    expect(`${messageId}: ${said}`).toBe(`${messageId}: ${next}`);
    messages.set(messageId, next + 1);
  }
  return messages.size;
}

/** Everything below the folder, by relative path. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath.slice(folder.length)}/${entry.name}`.slice(1))
    .sort();
}
