// @vitest-environment happy-dom
import type { EventBody } from "@landline/protocol";
import { act, cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { opened, renderWithSession, started } from "../../test/fake-session.tsx";
import { passAnswerGuard, guardClock } from "../../test/answer-guard-clock.ts";
import { RequestDock } from "../requests/request-dock.tsx";
import { focusDock } from "../requests/dock-focus.ts";
import { Composer } from "./composer.tsx";

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers({ toFake: guardClock });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

test("shows how to reach a request while none has the focus, and accepts no lasting answer from the field", async () => {
  const ask: EventBody = {
    kind: "ask-opened",
    askId: "p",
    ask: "permission",
    toolCall: { toolCallId: "t", title: "npm test", kind: "execute" },
    options: [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
    ],
  };
  const line = renderWithSession(
    <>
      <RequestDock />
      <Composer />
    </>,
    { events: [opened, started, ask] },
  );
  passAnswerGuard();
  screen.getByText("Press 1 to answer, or Esc to go to the request.");
  await userEvent.type(field(), "2 more things");
  expect(field().value).toBe("2 more things");
  expect(line.asked).not.toHaveBeenCalled();
  await userEvent.clear(field());
  act(() => void focusDock());
  screen.getByText("Press the number of an option.");
  await userEvent.keyboard("2");
  expect(line.asked.mock.calls[0]?.[2]).toEqual({ outcome: "selected", optionId: "always" });
});
