import { describe, expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const items = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies)).items;
const text = (said: string) => ({ type: "text", text: said });

describe("a message between agents", () => {
  it("is one item by its id", () => {
    expect(
      items(
        update("session_message", {
          messageId: "m",
          recipientSessionId: "c",
          content: [text("a")],
        }),
        update("session_message_chunk", { messageId: "m", content: text("b") }),
      ),
    ).toMatchObject([
      {
        type: "session-message",
        recipientSessionId: "c",
        senderSessionId: null,
        content: [text("ab")],
      },
    ]);
  });
});
