// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sessionSummary } from "../../test/session-summary.ts";
import { show } from "../../test/fake-landline.tsx";
import { SessionList } from "./session-list.tsx";

const sessions = [
  sessionSummary("one", { state: "needs-answer", cwd: "/home/me/app" }),
  sessionSummary("two", { state: "running", cwd: "/home/me/shop" }),
  sessionSummary("three", { cwd: "/home/me/app" }),
  sessionSummary("old", { closedAt: 5 }),
];

beforeEach(() => {
  location.hash = "#/s/two";
});

afterEach(cleanup);

test("sessions are grouped by folder, with their state as text", () => {
  show(<SessionList />, { sessions });
  const app = within(screen.getByRole("region", { name: "/home/me/app" }));
  expect(app.getAllByRole("link")).toHaveLength(2);
  expect(app.getByRole("link", { name: /Needs your answer one/ })).toBeDefined();
  const current = screen.getByRole("link", { name: /Working two/ });
  expect(current.getAttribute("aria-current")).toBe("page");
});

test("closed sessions are collapsed", async () => {
  show(<SessionList />, { sessions });
  expect(screen.queryByRole("link", { name: /old/ })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Closed (1)" }));
  expect(screen.getByRole("link", { name: /old/ })).toBeDefined();
});

test("the menu of a row handles its own keys", async () => {
  show(<SessionList />, { sessions });
  fireEvent.contextMenu(screen.getByRole("link", { name: /Working two/ }));
  const [first] = await screen.findAllByRole("menuitem");
  const moved = vi.spyOn(HTMLAnchorElement.prototype, "focus");
  fireEvent.keyDown(first!, { key: "ArrowDown" });
  expect(moved).not.toHaveBeenCalled();
  moved.mockRestore();
});

test("arrow keys move from the search field into the list and back", async () => {
  show(<SessionList />, { sessions });
  await userEvent.click(screen.getByRole("searchbox", { name: "Search conversations" }));
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(document.activeElement?.textContent).toContain("three");
  await userEvent.keyboard("{ArrowUp}{ArrowUp}");
  expect(document.activeElement).toBe(screen.getByRole("searchbox"));
});

test("typing filters at once, and searches the messages", async () => {
  const search = vi.fn(() =>
    Promise.resolve({
      hits: [
        {
          sessionId: "two",
          seq: 12,
          at: 1,
          kind: "prompt",
          snippet: { text: "the thread is slow", marks: [[4, 10] as const] },
        },
      ],
    }),
  );
  show(<SessionList />, { sessions, api: { search } });
  await userEvent.type(screen.getByRole("searchbox"), "thr");
  expect(screen.queryByRole("link", { name: /Working two/ })).toBeNull();
  expect(screen.getByRole("link", { name: /three/ })).toBeDefined();
  const hit = await screen.findByRole("link", { name: /the thread is slow/ });
  expect(hit.getAttribute("href")).toBe("#/s/two?at=12");
  expect(within(hit).getByText("thread").tagName).toBe("MARK");
  expect(search).toHaveBeenCalledExactlyOnceWith({ q: "thr", limit: 50 });
});

test("search results are grouped by session, and one line says that no title matches", async () => {
  const hit = (sessionId: string, seq: number, text: string) => ({
    sessionId,
    seq,
    at: 1,
    kind: "prompt",
    snippet: { text, marks: [] },
  });
  const hits = [hit("two", 1, "run `zebra`"), hit("gone", 2, "a zebra"), hit("two", 3, "zebras")];
  show(<SessionList />, { sessions, api: { search: () => Promise.resolve({ hits }) } });
  await userEvent.type(screen.getByRole("searchbox"), "zebra");
  const two = within(await screen.findByRole("list", { name: "two" }));
  expect(two.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
    "#/s/two?at=1",
    "#/s/two?at=3",
  ]);
  expect(two.getByText("run zebra")).toBeDefined();
  expect(screen.getByRole("list", { name: "An older conversation" })).toBeDefined();
  expect(screen.queryByText(/No matching titles or folders/)).toBeNull();
});

test("a client with the role watch has no button for a new session", () => {
  show(<SessionList />, { sessions, role: "watch" });
  expect(screen.queryByRole("button", { name: "New conversation" })).toBeNull();
});

test("a failed search shows an error", async () => {
  const search = () => Promise.reject(new Error("The index is away."));
  show(<SessionList />, { sessions, api: { search } });
  await userEvent.type(screen.getByRole("searchbox"), "anything");
  await waitFor(() => expect(screen.getByText("The index is away.")).toBeDefined());
});
