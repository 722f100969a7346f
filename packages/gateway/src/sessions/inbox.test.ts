import { limitsOf, LandlineError } from "@landline/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { EventDraft } from "../log/log.ts";
import { memoryLogs } from "../../test/log/memory.ts";
import { Inbox } from "./inbox.ts";

const notice = (message: string) => ({ kind: "error", code: "timeout", message }) as const;

/** An inbox whose log throws `failure` while that is set, before or after it has stored the events. */
async function inboxOf() {
  const log = await memoryLogs().create("session");
  const fails: { error: Error | null; afterWrite: boolean } = { error: null, afterWrite: false };
  const failing = new Proxy(log, {
    get: (target, name) => {
      if (name !== "append") return Reflect.get(target, name, target) as unknown;
      return (drafts: readonly EventDraft[]) => {
        const { error } = fails;
        const chunk = error && !fails.afterWrite ? null : target.append(drafts);
        if (error) throw error;
        return chunk;
      };
    },
  });
  const held: boolean[] = [];
  const failures: unknown[] = [];
  const accepted = Promise.withResolvers<void>();
  const inbox = new Inbox(failing, limitsOf("default", { logRetryMs: 1 }), {
    held: (isHeld) => {
      held.push(isHeld);
      if (!isHeld) accepted.resolve();
    },
    failed: (error) => failures.push(error),
    appended: () => {},
  });
  onTestFinished(() => inbox.close());
  const messages = async () => {
    const found: unknown[] = [];
    for await (const { bytes } of log.read(0))
      for (const line of bytes.toString().trimEnd().split("\n"))
        found.push((JSON.parse(line) as { message: unknown }).message);
    return found;
  };
  return { inbox, fails, held, failures, accepted: accepted.promise, messages };
}

test.each([
  ["the log's own error", new LandlineError("disk-full"), "disk-full"],
  ["an unexpected error", new TypeError("not a log error"), "internal-error"],
])("events that the log refused with %s are appended later, in order", async (_, error, code) => {
  const { inbox, fails, held, failures, accepted, messages } = await inboxOf();
  fails.error = error;
  inbox.gather(notice("one"));
  inbox.flush();
  expect(inbox.refusal?.code).toBe(code);
  inbox.gather(notice("two"));
  inbox.flush();
  fails.error = null;
  await accepted;
  inbox.flush();
  expect(await messages()).toEqual(["one", "two"]);
  expect(inbox.refusal).toBeNull();
  expect(held[0]).toBe(true);
  expect(held.at(-1)).toBe(false);
  expect(failures).toEqual(error instanceof LandlineError ? [] : [error]);
});

test("collected events stay when a following event is refused with an unexpected error", async () => {
  const { inbox, fails, accepted, messages } = await inboxOf();
  inbox.gather(notice("gathered"));
  inbox.flush();
  inbox.gather(notice("late"));
  fails.error = new TypeError("not a log error");
  inbox.flush();
  expect(() => inbox.record([{ kind: "session-changed", title: "New", by: "tester" }])).toThrow(
    "Something went wrong inside Landline.",
  );
  fails.error = null;
  await accepted;
  expect(await messages()).toEqual(["gathered", "late"]);
});

test("events that are in the log are not appended again", async () => {
  const { inbox, fails, held, failures, messages } = await inboxOf();
  fails.error = new TypeError("a reader of the log failed");
  fails.afterWrite = true;
  inbox.gather(notice("one"));
  inbox.flush();
  fails.error = null;
  inbox.gather(notice("two"));
  inbox.flush();
  expect(held).toEqual([]);
  expect(failures).toHaveLength(1);
  expect(await messages()).toEqual(["one", "two"]);
});
