// @vitest-environment happy-dom
import { LandlineError, type EventBody } from "@landline/protocol";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Toaster } from "sonner";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anAgent } from "../../test/fake-landline.tsx";
import { closeOverlay, useOverlay } from "../app/overlay.ts";
import { Composer } from "./composer.tsx";
import { me, opened, renderWithSession, started } from "../../test/fake-session.tsx";

/** Shows the name of the open overlay. */
function OverlayName() {
  const overlay = useOverlay();
  return overlay?.name === "sign-in" ? <p>sign-in of {overlay.agent}</p> : null;
}

const queued = (promptId: string, text: string, by = "me"): EventBody => ({
  kind: "prompt-queued",
  promptId,
  content: [{ type: "text", text }],
  by,
});
const running: readonly EventBody[] = [
  opened,
  started,
  queued("p0", "first"),
  { kind: "turn-started", turnId: "t", promptId: "p0" },
];
const commands: EventBody = {
  kind: "update",
  update: {
    sessionUpdate: "available_commands_update",
    availableCommands: [
      { name: "review", description: "Reads it" },
      { name: "release", description: "Ships it", input: { hint: "which version" } },
    ],
  },
};

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const text = (value: string) => [{ type: "text", text: value }];
let user = userEvent.setup();

beforeEach(() => {
  localStorage.clear();
  user = userEvent.setup();
});
afterEach(() => {
  cleanup();
  closeOverlay();
});

describe("writing", () => {
  test("Enter sends; Shift+Enter inserts a line break", async () => {
    const line = renderWithSession(<Composer />);
    await user.type(field(), "one{Shift>}{Enter}{/Shift}two{Enter}");
    expect(line.asked).toHaveBeenCalledWith("prompt", text("one\ntwo"), expect.any(String));
    expect(field().value).toBe("");
  });

  test("Enter that ends an input method composition does not send", async () => {
    const line = renderWithSession(<Composer />);
    await user.type(field(), "日本");
    fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
    fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
    expect(line.asked).not.toHaveBeenCalled();
  });

  test("a draft is restored when the session is opened again", async () => {
    renderWithSession(<Composer />);
    await user.type(field(), "half a thought");
    cleanup();
    renderWithSession(<Composer />);
    expect(field().value).toBe("half a thought");
  });

  test("a rejected message returns to the field, and a stored one shows the reason in the queue", async () => {
    const line = renderWithSession(<Composer />);
    const error = new LandlineError("rate-limited", { message: "Too many at once." });
    line.asked.mockRejectedValueOnce(error);
    await user.type(field(), "once more{Enter}");
    await waitFor(() => expect(field().value).toBe("once more"));
    const content = [{ type: "text" as const, text: "kept" }];
    line.change({ outgoing: [{ promptId: "x", content, at: 0, state: "refused", error }] });
    expect(screen.getByText(/Not sent · Too many at once\./)).toBeTruthy();
  });

  test("a message that was withdrawn before it was sent does not return to the field", async () => {
    const line = renderWithSession(<Composer />);
    line.asked.mockRejectedValueOnce(new LandlineError("request-cancelled"));
    await user.type(field(), "never mind{Enter}");
    expect(field().value).toBe("");
  });

  test("a long draft survives a visit to another session", () => {
    renderWithSession(<Composer />);
    const long = "word ".repeat(12_000);
    fireEvent.change(field(), { target: { value: long } });
    cleanup();
    renderWithSession(<Composer />);
    expect(field().value).toBe(long);
    fireEvent.change(field(), { target: { value: "" } });
  });

  test("a client with the role watch has no field", () => {
    renderWithSession(<Composer />, { who: { ...me, role: "watch" } });
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.getByText(/You can only read/)).toBeTruthy();
  });
});

describe("completion", () => {
  test("commands by keyboard: the list follows the typed text, and the hint follows the chosen command", async () => {
    renderWithSession(<Composer />, { events: [opened, started, commands] });
    await user.type(field(), "/re");
    const options = within(screen.getByRole("listbox", { name: "Commands" })).getAllByRole(
      "option",
    );
    expect(options).toHaveLength(2);
    expect(field().getAttribute("aria-activedescendant")).toBe(options[0]?.id);
    await user.keyboard("{ArrowDown}{Enter}");
    expect(field().value).toBe("/release ");
    expect(screen.queryByRole("listbox")).toBeNull();
    expect(screen.getByText("which version")).toBeTruthy();
  });

  test("Escape closes the list, and Enter then sends", async () => {
    const line = renderWithSession(<Composer />, { events: [opened, started, commands] });
    await user.type(field(), "/re{Escape}");
    expect(screen.queryByRole("listbox")).toBeNull();
    await user.keyboard("{Enter}");
    expect(line.asked).toHaveBeenCalledWith("prompt", text("/re"), expect.any(String));
  });

  test("Enter sends a command that is typed in full", async () => {
    const line = renderWithSession(<Composer />, { events: [opened, started, commands] });
    await user.type(field(), "/review{Enter}");
    expect(line.asked).toHaveBeenCalledWith("prompt", text("/review"), expect.any(String));
  });

  test("a mentioned file is sent as a link beside its name", async () => {
    const line = renderWithSession(<Composer />);
    const file = { path: "/repo/src/a.ts", name: "src/a.ts", root: "/repo", kind: "file" };
    line.asked.mockResolvedValue({ files: [file], isCut: false });
    await user.type(field(), "See @a");
    await user.click(await screen.findByRole("option", { name: /a\.ts/ }));
    expect(field().value).toBe("See @src/a.ts ");
    await user.click(screen.getByRole("button", { name: "Send" }));
    expect(line.asked).toHaveBeenCalledWith(
      "prompt",
      [
        { type: "text", text: "See @src/a.ts" },
        { type: "resource_link", name: "src/a.ts", uri: "file:///repo/src/a.ts" },
      ],
      expect.any(String),
    );
  });
});

test("matches for a shorter query are not used for a longer one, and Enter does not send half a name", async () => {
  const line = renderWithSession(<Composer />);
  const file = { path: "/repo/src/a.ts", name: "src/a.ts", root: "/repo", kind: "file" };
  line.asked.mockResolvedValueOnce({ files: [file], isCut: false });
  await user.type(field(), "@a");
  await screen.findByRole("option", { name: /a\.ts/ });
  line.asked.mockReturnValue(new Promise(() => {}));
  await user.type(field(), "bc{Enter}");
  expect(screen.queryByRole("option")).toBeNull();
  expect(field().value).toBe("@abc");
  expect(line.asked).not.toHaveBeenCalledWith("prompt", expect.anything(), expect.anything());
});

test("an image is shown, can be removed, and is sent with the text", async () => {
  const line = renderWithSession(<Composer />);
  const image = new File([Uint8Array.of(1)], "dot.png", { type: "image/png" });
  const picker = document.querySelector<HTMLInputElement>("input[type=file]");
  await user.upload(picker!, image);
  await user.click(await screen.findByRole("button", { name: "Remove dot.png" }));
  expect(screen.queryByText("dot.png")).toBeNull();
  await user.upload(picker!, image);
  await screen.findByText("dot.png");
  await user.type(field(), "See{Enter}");
  expect(line.asked).toHaveBeenCalledWith(
    "prompt",
    [...text("See"), { type: "image", data: "AQ==", mimeType: "image/png" }],
    expect.any(String),
  );
});

test("audio that was attached before the agent declared that it accepts none stays until it is removed", async () => {
  const line = renderWithSession(<Composer />, { events: [opened] });
  const picker = document.querySelector<HTMLInputElement>("input[type=file]");
  const sound = new File([Uint8Array.of(1)], "beep.wav", { type: "audio/wav" });
  await user.upload(picker!, [sound, new File(["a"], "notes.txt", { type: "text/plain" })]);
  await screen.findByText("beep.wav");
  await screen.findByText("notes.txt");
  line.tell(started);
  const words = "This agent does not accept audio. Remove beep.wav to send the rest.";
  expect(screen.getByRole("alert").textContent).toBe(words);
  const sendButton = screen.getByRole<HTMLButtonElement>("button", { name: "Send" });
  expect(sendButton.disabled).toBe(true);
  await user.click(screen.getByRole("button", { name: "Remove beep.wav" }));
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(sendButton);
  expect(line.asked).toHaveBeenCalledExactlyOnceWith(
    "prompt",
    [expect.objectContaining({ type: "resource" })],
    expect.any(String),
  );
});

describe("while a turn runs", () => {
  test("sending queues the message, Esc stops nothing, and the stop button shows its shortcut", async () => {
    const line = renderWithSession(<Composer />, { events: running });
    expect(screen.getByRole("button", { name: "Queue" })).toBeTruthy();
    await user.click(field());
    await user.keyboard("{Escape}{Escape}{Escape}");
    expect(line.asked).not.toHaveBeenCalled();
    const stop = screen.getByRole("button", { name: "Stop" });
    expect(stop.getAttribute("aria-keyshortcuts")).toBe("Control+.");
    await user.click(stop);
    expect(line.asked).toHaveBeenCalledWith("cancel");
  });

  test("queued prompts continue after a stop; a notice says so and can withdraw and restore them", async () => {
    const events = [...running, queued("p1", "one"), queued("p2", "two"), queued("p3", "three")];
    const line = renderWithSession(
      <>
        <Composer />
        <Toaster />
      </>,
      { events },
    );
    await user.click(screen.getByRole("button", { name: "Stop" }));
    await screen.findByText("Stopped. 3 queued prompts will run next.");
    line.tell(
      { kind: "turn-ended", turnId: "t", stopReason: "cancelled" },
      { kind: "turn-started", turnId: "t2", promptId: "p1" },
    );
    line.asked.mockClear();
    await user.click(screen.getByRole("button", { name: "Withdraw them" }));
    await screen.findByText("Withdrawn: 2 queued prompts.");
    expect(line.asked.mock.calls).toEqual([
      ["withdrawPrompt", "p3"],
      ["withdrawPrompt", "p2"],
      ["cancel"],
    ]);
    line.asked.mockClear();
    await user.click(screen.getByRole("button", { name: "Put back" }));
    expect(line.asked.mock.calls).toEqual([
      ["prompt", text("two")],
      ["prompt", text("three")],
    ]);
  });

  test("ArrowUp in the empty field edits the queue in place", async () => {
    const events = [...running, queued("p1", "then this"), queued("p2", "hers", "anna")];
    const line = renderWithSession(<Composer />, { events });
    await screen.findByText("then this");
    expect(screen.getByText("Anna")).toBeTruthy();
    await user.click(field());
    await user.keyboard("{ArrowUp}");
    const edited = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Queued message" });
    expect(edited.value).toBe("then this");
    await user.type(edited, " instead{Enter}");
    expect(line.asked).toHaveBeenCalledWith("changePrompt", "p1", text("then this instead"));
    expect(document.activeElement).toBe(field());
  });

  test("an edit of a queued prompt that is sent meanwhile moves to the field", async () => {
    const line = renderWithSession(<Composer />, {
      events: [...running, queued("p1", "then this")],
    });
    await screen.findByText("then this");
    await user.click(field());
    await user.keyboard("{ArrowUp}");
    await user.type(screen.getByRole("textbox", { name: "Queued message" }), " and that");
    line.tell(
      { kind: "turn-ended", turnId: "t", stopReason: "end_turn" },
      { kind: "turn-started", turnId: "t2", promptId: "p1" },
    );
    await waitFor(() => expect(field().value).toBe("then this and that"));
  });

  test("queued prompts can be reordered and removed", async () => {
    const events = [...running, queued("p1", "one"), queued("p2", "two")];
    const line = renderWithSession(<Composer />, { events });
    await screen.findByText("two");
    const [first, second] = screen.getAllByRole("listitem");
    expect(screen.getByRole("heading", { name: /2 prompts/ })).toBeTruthy();
    await user.click(within(first!).getByRole("button", { name: "Move up" }));
    await user.click(within(second!).getByRole("button", { name: "Move down" }));
    expect(line.asked).not.toHaveBeenCalled();
    await user.click(within(second!).getByRole("button", { name: "Move up" }));
    expect(line.asked).toHaveBeenCalledWith("movePrompt", "p2", "p1");
    await user.click(within(second!).getByRole("button", { name: "Withdraw" }));
    expect(line.asked).toHaveBeenCalledWith("withdrawPrompt", "p2");
  });
});

test("a single queued prompt has no move buttons, and shows its image", async () => {
  const image = { type: "image", data: "AQ==", mimeType: "image/png" } as const;
  const event: EventBody = { kind: "prompt-queued", promptId: "p1", content: [image], by: "me" };
  renderWithSession(<Composer />, { events: [...running, event] });
  const entry = await screen.findByRole("listitem");
  expect(within(entry).queryByRole("button", { name: /Move/ })).toBeNull();
  expect(within(entry).getByText("1 image")).toBeTruthy();
  await waitFor(() => expect(entry.querySelector("img")).not.toBeNull());
});

describe("Escape moves the focus out of the field", () => {
  const thread = { role: "log", tabIndex: 0, "aria-label": "Thread" } as const;
  const page = (
    <main id="main" tabIndex={-1}>
      <div {...thread} />
      <Composer />
    </main>
  );

  test.each([
    ["when nothing runs", undefined],
    ["while a turn runs", running],
  ])("to the thread, with a draft in it: %s", async (_when, events) => {
    renderWithSession(page, events && { events });
    await user.type(field(), "a{Escape}");
    expect(document.activeElement).toBe(screen.getByRole("log"));
    expect(field().value).toBe("a");
  });
});

describe("options", () => {
  const options: EventBody = {
    kind: "options-changed",
    modes: {
      currentModeId: "ask",
      availableModes: [
        { id: "ask", name: "Ask" },
        { id: "act", name: "Act" },
      ],
    },
    configOptions: [{ id: "web", name: "Web search", type: "boolean", currentValue: false }],
  };

  test("a chosen mode is shown at once and reverted when the command fails", async () => {
    const line = renderWithSession(<Composer />, { events: [opened, started, options] });
    let fail: (error: Error) => void = () => undefined;
    line.asked.mockImplementationOnce(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    await user.click(screen.getByRole("button", { name: "Mode: Ask" }));
    await user.click(await screen.findByRole("menuitemradio", { name: "Act" }));
    expect(line.asked).toHaveBeenCalledWith("setMode", "act");
    await screen.findByRole("button", { name: "Mode: Act, being set" });
    fail(new LandlineError("option-not-offered"));
    await screen.findByRole("button", { name: "Mode: Ask" });
  });

  const many: EventBody = {
    kind: "options-changed",
    configOptions: [
      {
        id: "model",
        name: "Model",
        type: "select",
        category: "model",
        currentValue: "m-0",
        options: Array.from({ length: 500 }, (_, number) => ({
          value: `m-${number}`,
          name: `Model ${number}`,
        })),
      },
    ],
  };

  test("an option with hundreds of values is found by part of its name", async () => {
    const line = renderWithSession(<Composer />, { events: [opened, started, many] });
    await user.click(screen.getByRole("button", { name: "Model: Model 0" }));
    await user.type(await screen.findByRole("combobox"), "457");
    expect(screen.getAllByRole("option")).toHaveLength(1);
    await user.keyboard("{Enter}");
    expect(line.asked).toHaveBeenCalledWith("setConfig", "model", "m-457", {
      remember: true,
    });
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("the picker for hundreds of models also offers sign-in if the agent has sign-in methods", async () => {
    const shown = (
      <>
        <Composer />
        <OverlayName />
      </>
    );
    const agents = [anAgent("scripted", { signInMethods: [{ id: "key", name: "Key" }] })];
    renderWithSession(shown, { events: [opened, started, many], agents });
    await user.click(screen.getByRole("button", { name: "Model: Model 0" }));
    await user.type(await screen.findByRole("combobox"), "sign in");
    await user.keyboard("{Enter}");
    expect(screen.getByText("sign-in of scripted")).toBeDefined();
  });

  test("a boolean option is a switch", async () => {
    const line = renderWithSession(<Composer />, { events: [opened, started, options] });
    expect(screen.getByRole("switch", { name: "Web search" }).textContent).toMatch(/off$/);
    await user.click(screen.getByRole("switch", { name: "Web search" }));
    expect(line.asked).toHaveBeenCalledWith("setConfig", "web", true, { remember: true });
  });
});
