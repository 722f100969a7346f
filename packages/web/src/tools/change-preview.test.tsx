// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { opened, StagedSession } from "../../test/staged-session.tsx";
import { ChangePreview } from "./change-preview.tsx";
import { Diff } from "./diff.tsx";

afterEach(cleanup);

function preview(fields: Readonly<Record<string, unknown>>) {
  const staged = new StagedSession([
    opened,
    {
      kind: "update",
      update: { sessionUpdate: "tool_call", toolCallId: "c", title: "Tool", ...fields },
    },
  ]);
  const [item] = staged.view.items;
  if (item?.type !== "tool-call") throw new Error("There is no call.");
  return render(<ChangePreview toolCall={item} />, { wrapper: staged.Stage }).container;
}

describe("the preview of a call", () => {
  it("is the full command with its folder", () => {
    const command = `cd src && ${"npm test ".repeat(40)}`;
    const page = preview({ title: command, kind: "execute", rawInput: { command } });
    expect(page.textContent).toBe(`$ ${command}in /repo`);
  });

  it("is the command with the title of the request, if that says more", () => {
    const call = { kind: "execute", rawInput: { command: "npm  test --prefix /tmp" } };
    const title = "npm test --prefix /tmp (outside the project, in /tmp)";
    expect(preview({ ...call, title }).textContent).toBe(
      "Outside the project, in /tmp$ npm  test --prefix /tmpin /repo",
    );
    const other = "Test the package in /tmp";
    expect(preview({ ...call, title: other }).textContent).toBe(
      `${other}$ npm  test --prefix /tmpin /repo`,
    );
    for (const same of [
      "npm test --prefix /tmp",
      "`npm test --prefix /tmp`",
      "Run npm test --prefix /tmp",
      "npm test --pre…",
    ])
      expect(preview({ ...call, title: same }).textContent).toBe(
        "$ npm  test --prefix /tmpin /repo",
      );
  });

  it("makes invisible characters visible", () => {
    const page = preview({ kind: "execute", rawInput: { command: "echo \u202e;rm" } });
    expect(page.textContent).toContain("U+202E");
  });

  it("is the whole input of an unknown tool", () => {
    const page = preview({ title: "mail__send", rawInput: { to: "everyone" } });
    expect(page.textContent).toContain("mail__send");
    expect(page.textContent).toContain("everyone");
  });

  it("is the change of a file, before there is a diff", async () => {
    preview({
      kind: "edit",
      rawInput: { file_path: "/repo/a.ts", old_string: "a", new_string: "b" },
    });
    const table = await screen.findByRole("table");
    expect(within(table).getByText("removed")).not.toBeNull();
    expect(within(table).getByText("added")).not.toBeNull();
    expect(screen.getByText("a.ts")).not.toBeNull();
  });
});

describe("a diff", () => {
  const show = (oldText: string | null, newText: string) => {
    const staged = new StagedSession([opened]);
    render(<Diff path="/repo/a.ts" oldText={oldText} newText={newText} />, {
      wrapper: staged.Stage,
    });
  };
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

  it("hides unchanged lines until they are requested", async () => {
    show(lines(30), lines(30).replace("line 15\n", "other\n"));
    expect(await screen.findByText("other")).not.toBeNull();
    expect(screen.queryByText("line 2")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show the 11 lines before" }));
    expect(screen.getByText("line 2")).not.toBeNull();
  });

  it("renders the first 400 lines of a long one", async () => {
    show(null, lines(1_000));
    // By text and by element: finding roles takes minutes in so many cells.
    const more = await screen.findByText("Show all 1,000 lines");
    const rows = () => document.querySelectorAll("tr");
    expect(rows()).toHaveLength(401);
    fireEvent.click(more);
    expect(rows()).toHaveLength(1_001);
  });

  it.each([
    ["Binary file.", "a", "b\0"],
    ["Too large to show as a diff: 1.1 MB.", null, "x".repeat(1_100_000)],
    ["No changes.", "a", "a"],
  ])("says %s", (words, oldText, newText) => {
    show(oldText, newText);
    expect(screen.getByText(words)).not.toBeNull();
  });
});
