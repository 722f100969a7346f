import { emptyView, fold, decodeLine, type EventBody, type Item } from "@landline/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionLog } from "../../log/log.ts";
import { memoryLogs } from "../../../test/log/memory.ts";
import { linesOf } from "../../log/log-lines.ts";
import { chaptersOf } from "./chapters.ts";

const update = (sessionUpdate: string, fields: object, child?: string): EventBody => ({
  kind: "update",
  update: { sessionUpdate, ...fields },
  ...(child !== undefined && { child }),
});
const says = (text: string, child?: string) =>
  update("agent_message_chunk", { content: { type: "text", text } }, child);
const call = (toolCallId: string, status: string, child?: string) =>
  update("tool_call", { toolCallId, title: toolCallId, status }, child);
const called = (toolCallId: string, child?: string) =>
  update("tool_call_update", { toolCallId, status: "completed" }, child);
const prompt = (id: string): EventBody[] => [
  { kind: "prompt-queued", promptId: id, content: [{ type: "text", text: id }], by: "me" },
  { kind: "turn-started", turnId: id, promptId: id },
];

async function logOf(events: readonly EventBody[]): Promise<SessionLog> {
  const log = await memoryLogs().create("session");
  for (const event of events) log.append([event]);
  return log;
}

async function written(log: SessionLog) {
  const root: Item[] = [];
  const children = new Map<string, Item[]>();
  let most = 0;
  for await (const { view, items, subagents } of chaptersOf(log)) {
    root.push(...items);
    for (const { subagent, items: done } of subagents)
      children.set(subagent.key, [...(children.get(subagent.key) ?? []), ...done]);
    most = Math.max(most, ...[view, ...view.subagents].map((thread) => thread.items.length));
  }
  return { root, children, most };
}

async function folded(log: SessionLog) {
  let view = emptyView();
  for await (const chunk of log.read(0)) view = fold(view, linesOf(chunk).map(decodeLine));
  return view;
}

const keys = (items: readonly Item[]) => items.map(({ key }) => key);

test("a long turn is written in order while it is read, and not kept in memory", async () => {
  const events = Array.from({ length: 3_000 }, (_, count) => [
    call(`c${count}`, "in_progress"),
    says(`said ${count}`),
    called(`c${count}`),
  ]);
  const log = await logOf([...prompt("p"), ...events.flat()]);
  const { root, most } = await written(log);
  expect(root).toEqual((await folded(log)).items);
  expect(root[0]?.type).toBe("prompt");
  expect(most).toBeLessThan(300);
});

test("an open item delays those after it, but not forever", async () => {
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => call(`c${from + index}`, "completed"));
  const short = await logOf([call("slow", "in_progress"), ...some(0, 500), called("slow")]);
  expect((await written(short)).root).toEqual((await folded(short)).items);

  const long = await logOf([call("slow", "in_progress"), ...some(0, 9_000), called("slow")]);
  const { root, most } = await written(long);
  expect(keys(root)).toEqual(keys((await folded(long)).items));
  expect(root[0]).toMatchObject({ toolCallId: "slow", status: "in_progress" });
  expect(most).toBeLessThan(2_200);
});

test("a long part of a subagent is written while it is read, after its prompt", async () => {
  const events = Array.from({ length: 3_000 }, (_, count) =>
    call(`c${count}`, "completed", "child"),
  );
  const turn = (id: string) => [
    says(id),
    { kind: "turn-ended", turnId: id, stopReason: "end_turn" },
  ];
  const log = await logOf([
    ...prompt("p"),
    ...(turn("p") as EventBody[]),
    ...prompt("q"),
    call("task", "in_progress"),
    ...events,
    called("task"),
  ]);
  const { root, children, most } = await written(log);
  const whole = await folded(log);
  expect(root).toEqual(whole.items);
  expect([...children.values()]).toEqual(whole.subagents.map(({ items }) => items));
  expect(most).toBeLessThan(300);
  for await (const { items } of chaptersOf(log)) {
    expect(items.at(-1)).toMatchObject({ type: "prompt", promptId: "q" });
    break;
  }
});

test("each item of each thread is written once, in its place", async () => {
  const child = fc.option(fc.constantFrom("one", "two"), { nil: undefined });
  const id = fc.integer({ min: 0, max: 400 }).map((number) => `c${number}`);
  const event = fc.oneof(
    fc.tuple(fc.string(), child).map(([text, of]) => says(text, of)),
    fc.tuple(id, child).map(([of, whose]) => call(of, "completed", whose)),
    fc.tuple(id, child).map(([of, whose]) => call(of, "in_progress", whose)),
    fc.tuple(id, child).map(([of, whose]) => called(of, whose)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 300, maxLength: 900 }), async (events) => {
      const log = await logOf([...prompt("p"), ...events]);
      const view = await folded(log);
      const { root, children } = await written(log);
      for (const items of [root, ...children.values()]) {
        expect(new Set(keys(items)).size).toBe(items.length);
        const places = items.map(({ first }) => first);
        expect(places).toEqual(places.toSorted((one, other) => one - other));
      }
      const missing = (whole: readonly Item[], some: readonly Item[]) => {
        const known = new Set(keys(some));
        return keys(whole).filter((key) => !known.has(key));
      };
      expect(missing(view.items, root)).toEqual([]);
      for (const subagent of view.subagents)
        expect(missing(subagent.items, children.get(subagent.key) ?? [])).toEqual([]);
    }),
    { numRuns: 15 },
  );
});
