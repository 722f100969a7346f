// @vitest-environment happy-dom
import { emptyView, fold, trimView, type SessionEvent } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { renderWithSession } from "../../test/fake-session.tsx";
import { SubagentThread } from "./subagent-thread.tsx";

afterEach(cleanup);

it("does not show two messages as neighbours when there are unloaded ones between them, and counts those", () => {
  const log = Array.from({ length: 30 }, (_, index): SessionEvent => ({
    kind: "update",
    child: "c",
    update: {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: `Word ${index + 1}.` },
      messageId: [0, 10, 20, 29].includes(index) ? "slow" : `${index + 1}`,
    },
    seq: index + 1,
    at: index + 1,
  }));
  const view = trimView(fold(emptyView(), log), 5);
  const [subagent] = view.subagents;
  if (!subagent) throw new Error("There is no subagent.");
  // Messages that may still grow are kept ahead of the last five items.
  expect(subagent.items).toHaveLength(16);
  expect(subagent.items[0]?.first).toBe(1);
  renderWithSession(<SubagentThread subagent={subagent} view={view} />, { events: [] });
  expect(screen.getByText("22 earlier are not loaded.")).not.toBeNull();
  expect(screen.queryByText(/Word 1\./u)).toBeNull();
  expect(screen.getAllByText(/^Word \d+\.$/u).map(({ textContent }) => textContent)).toEqual(
    [25, 26, 27, 28, 29].map((number) => `Word ${number}.`),
  );
});
