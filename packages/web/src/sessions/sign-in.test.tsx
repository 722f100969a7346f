// @vitest-environment happy-dom
import type { AgentProgress } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { anAgent, show } from "./fake-landline.tsx";
import { SignIn } from "./sign-in.tsx";

afterEach(cleanup);

function showAt(url: string): void {
  const progress: AgentProgress = { what: "sign-in", message: "Go there.", url };
  show(<SignIn agentId="a" onClose={() => undefined} />, { agents: [anAgent("a", { progress })] });
}

test("the page of a sign-in is opened by a link that names its host", () => {
  showAt("https://example.com/device?code=1");
  const link = screen.getByRole("link", { name: "Open example.com" });
  expect(link.getAttribute("href")).toBe("https://example.com/device?code=1");
  expect(link.getAttribute("rel")).toContain("noopener");
});

test.each(["javascript:alert(1)", "vscode://file/etc/passwd", "file:///etc/passwd"])(
  "what is no page is no link: %s",
  (url) => {
    showAt(url);
    expect(screen.queryByRole("link")).toBeNull();
    expect(screen.getByText(url)).toBeDefined();
  },
);
