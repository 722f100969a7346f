// @vitest-environment happy-dom
import type { EventBody } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { opened, renderWithSession, started } from "../../test/fake-session.tsx";
import { Announcer } from "./announcer.tsx";

afterEach(cleanup);

const ask = (askId: string, command: string): EventBody => ({
  kind: "ask-opened",
  askId,
  ask: "permission",
  toolCall: { toolCallId: askId, title: command, kind: "execute", rawInput: { command } },
  options: [{ optionId: "once", name: "Allow", kind: "allow_once" }],
});

const settled = (askId: string): EventBody => ({
  kind: "ask-settled",
  askId,
  outcome: { outcome: "selected", optionId: "once" },
  by: { client: "me" },
});

test("each request is announced with its subject, even when one follows another", () => {
  const line = renderWithSession(<Announcer />, { events: [opened, started] });
  const said = () => screen.getByRole("status").textContent;
  line.tell(ask("p", "npm test"));
  expect(said()).toBe("Needs your answer: npm test");
  line.tell(ask("q", "rm -rf build"));
  expect(said()).toBe("Needs your answer: npm test");
  line.tell(settled("p"));
  expect(said()).toBe("Needs your answer: rm -rf build");
});
