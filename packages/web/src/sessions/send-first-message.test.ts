// @vitest-environment happy-dom
import type { Session, SessionSnapshot } from "@landline/client";
import { emptyView } from "@landline/protocol";
import { expect, test, vi } from "vitest";
import type { Attachment } from "../message/attachment.ts";
import { writeText } from "../message/drafts.ts";
import type { MessageContent } from "../message/prompt-blocks.ts";
import { messageContentAt } from "../message/send-message.ts";
import { sendFirstMessage } from "./send-first-message.ts";

const picture: Attachment = {
  id: "1",
  name: "dot.png",
  mimeType: "image/png",
  bytes: 1,
  kind: "image",
  data: "AQ==",
};
const written: MessageContent = { text: "Look", mentions: [], attachments: [picture] };
const nothing = { text: "", mentions: [], attachments: [] };
const blocks = [
  { type: "text", text: "Look" },
  { type: "image", data: "AQ==", mimeType: "image/png" },
];

type AgentFacts = Partial<NonNullable<SessionSnapshot["view"]>["agent"]>;

/** A session whose agent declares its capabilities when the test says so. */
function fakeSession(id: string) {
  const listeners = new Set<() => void>();
  let snapshot = { state: "attaching", view: null, outgoing: [] } as unknown as SessionSnapshot;
  const prompt = vi.fn<Session["prompt"]>(() => Promise.resolve());
  const session = {
    id,
    prompt,
    getSnapshot: () => snapshot,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Session;
  const tell = (state: SessionSnapshot["state"], agent: AgentFacts = {}) => {
    const view = emptyView();
    snapshot = { ...snapshot, state, view: { ...view, agent: { ...view.agent, ...agent } } };
    for (const listener of listeners) listener();
  };
  return { session, prompt, listeners, tell };
}

const taking = (image: boolean) => ({ capabilities: { promptCapabilities: { image } } });

test("text alone is sent at once, and an empty message is not sent", () => {
  const { session, prompt, listeners } = fakeSession("words");
  sendFirstMessage(session, nothing);
  expect(prompt).not.toHaveBeenCalled();
  sendFirstMessage(session, { ...nothing, text: "Look" });
  expect(prompt).toHaveBeenCalledExactlyOnceWith(blocks.slice(0, 1), expect.any(String));
  expect(listeners.size).toBe(0);
});

test("an image waits in the composer until the agent's capabilities are known, and is sent once", () => {
  const { session, prompt, listeners, tell } = fakeSession("taken");
  sendFirstMessage(session, written);
  tell("live");
  expect(prompt).not.toHaveBeenCalled();
  expect(messageContentAt("taken")).toEqual(written);
  tell("live", taking(true));
  tell("live", taking(true));
  expect(prompt).toHaveBeenCalledExactlyOnceWith(blocks, expect.any(String));
  expect(messageContentAt("taken")).toEqual(nothing);
  expect(listeners.size).toBe(0);
});

test.each([
  ["does not take it", "live", taking(false)],
  ["has ended", "live", { state: "exited" }],
  ["is gone with its session", "gone", {}],
] as const)("a picture stays in the composer when the agent %s", (what, state, agent) => {
  const { session, prompt, listeners, tell } = fakeSession(what);
  sendFirstMessage(session, written);
  tell(state, agent);
  tell("live", taking(true));
  expect(prompt).not.toHaveBeenCalled();
  expect(messageContentAt(what)).toEqual(written);
  expect(listeners.size).toBe(0);
});

test("a message that was changed meanwhile is not sent automatically", () => {
  const { session, prompt, tell } = fakeSession("changed");
  sendFirstMessage(session, written);
  writeText("changed", "Look again");
  tell("live", taking(true));
  expect(prompt).not.toHaveBeenCalled();
  expect(messageContentAt("changed").text).toBe("Look again");
});
