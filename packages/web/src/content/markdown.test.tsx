// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { StagedSession } from "../../test/staged-session.tsx";
import { Blocks } from "./blocks.tsx";
import { Markdown } from "./markdown.tsx";

afterEach(cleanup);

const { Stage: wrapper } = new StagedSession();
const draw = (text: string, isLive = false) =>
  render(<Markdown text={text} isLive={isLive} />, { wrapper });

describe("markdown", () => {
  it("does not create elements from HTML", () => {
    const { container } = draw("<img src=x onerror=alert(1)> and\n\n<script>alert(1)</script>\n");
    expect(container.querySelector("img, script")).toBeNull();
    expect(container.textContent).toContain("<script>alert(1)</script>");
  });

  it("links only to the web", () => {
    draw(
      "[good](https://example.com/) [bad](javascript:alert(1)) ![cat](https://evil.example/c.png)",
    );
    const links = screen.getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "https://example.com/",
      "https://evil.example/c.png",
    ]);
    expect(links[0]?.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(screen.queryByRole("img")).toBeNull();
  });

  it("closes open marks while it is live", () => {
    const { container, rerender } = draw("Some **bo", true);
    expect(container.querySelector("strong")?.textContent).toBe("bo");
    rerender(<Markdown text="Some **bo" />);
    expect(container.textContent).toBe("Some **bo");
  });

  it("keeps the elements of finished blocks", async () => {
    const { rerender } = draw("First.\n\nSecond\n\nThird", true);
    const first = screen.getByText("First.");
    rerender(<Markdown text={"First.\n\nSecond\n\nThird goes on\n\nFourth"} isLive />);
    expect(await screen.findByText("Fourth")).not.toBeNull();
    expect(screen.getByText("First.")).toBe(first);
  });

  it("gives tasks, tables and code accessible names", () => {
    draw("- [x] write tests\n\n| a |\n| - |\n| b |\n\n```ts\nlet a;\n```\n");
    expect(screen.getByRole("checkbox", { name: "write tests" })).not.toBeNull();
    expect(screen.getByRole("group", { name: "Table" }).tabIndex).toBe(0);
    expect(screen.getByRole("group", { name: "Code, ts" }).tabIndex).toBe(0);
    expect(screen.getByRole("button", { name: "Copy code" })).not.toBeNull();
  });

  it("shows a very long block as plain text until the person asks for Markdown", async () => {
    draw(`Words **without** end. ${"And more. ".repeat(6_000)}\n\nAfter it`);
    const button = await screen.findByText("Show formatted");
    expect(document.querySelector("strong")).toBeNull();
    fireEvent.click(button);
    expect(document.querySelector("strong")?.textContent).toBe("without");
  });

  it("resolves a definition that comes later, when the text is complete", async () => {
    const { rerender } = draw("A [word].\n\nMore\n\n", true);
    const text = "A [word].\n\nMore\n\n[word]: https://example.com/\n\nEnd\n";
    rerender(<Markdown text={text} isLive />);
    expect(screen.queryByRole("link")).toBeNull();
    rerender(<Markdown text={text} />);
    expect(await screen.findByRole("link", { name: "word" })).not.toBeNull();
  });
});

describe("blocks", () => {
  it("collapse blocks for the agent only", () => {
    const annotations = { audience: ["assistant" as const] };
    render(<Blocks blocks={[{ type: "text", text: "secret words", annotations }]} />, { wrapper });
    expect(screen.queryByText("secret words")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "For the agent" }));
    expect(screen.getByText("secret words")).not.toBeNull();
  });

  it("show unknown blocks as JSON", () => {
    const unknown = { type: "hologram", depth: 3 } as never;
    render(<Blocks blocks={[unknown]} />, { wrapper });
    expect(screen.getByText('"hologram"')).not.toBeNull();
  });

  it("load a blob on demand", async () => {
    const staged = new StagedSession([], {
      text: (_name, input) => Promise.resolve(`text of ${(input as { hash: string }).hash}`),
    });
    const blob = { $blob: "abc", bytes: 300_000 };
    render(<Blocks blocks={[{ type: "text", text: "", blob }]} />, { wrapper: staged.Stage });
    fireEvent.click(screen.getByRole("button", { name: "Show" }));
    expect(await screen.findByText("text of abc")).not.toBeNull();
  });
});
