// @vitest-environment happy-dom
import { LandlineError, type AgentProgress } from "@landline/protocol";
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import userEvent from "@testing-library/user-event";
import { passAnswerGuard, guardClock } from "../../test/answer-guard-clock.ts";
import { anAgent, show } from "../../test/fake-landline.tsx";
import { SignIn } from "./sign-in.tsx";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function showAt(url: string): void {
  const progress: AgentProgress = { what: "sign-in", message: "Go there.", url };
  show(<SignIn agentId="a" onClose={() => undefined} />, { agents: [anAgent("a", { progress })] });
}

test("the sign-in page opens with a link that names its host", () => {
  showAt("https://example.com/device?code=1");
  const link = screen.getByRole("link", { name: "Open example.com" });
  expect(link.getAttribute("href")).toBe("https://example.com/device?code=1");
  expect(link.getAttribute("rel")).toContain("noopener");
});

test.each(["javascript:alert(1)", "vscode://file/etc/passwd", "file:///etc/passwd"])(
  "a URL that is not a web page is not a link: %s",
  (url) => {
    showAt(url);
    expect(screen.queryByRole("link")).toBeNull();
    expect(screen.getByText(url)).toBeDefined();
  },
);

test("an agent with unknown sign-in methods is asked, and can be asked again after an error", async () => {
  const asked: string[] = [];
  const listSignInMethods = async ({ agent }: { readonly agent: string }) => {
    asked.push(agent);
    if (asked.length === 1)
      throw new LandlineError("agent-exited", {
        message: "It ended at once.",
        help: "Run it by hand.",
        data: { stderr: "no such option: --acp" },
      });
    return { agent, methods: [{ id: "key", name: "Enter a key" }] };
  };
  show(<SignIn agentId="a" onClose={() => undefined} />, {
    agents: [anAgent("a")],
    api: { listSignInMethods },
  });
  expect(screen.getByText("Asking a how to sign in…")).toBeDefined();
  const said = (await screen.findByRole("alert")).textContent;
  for (const words of ["It ended at once.", "Run it by hand.", "no such option: --acp"])
    expect(said).toContain(words);
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("button", { name: "Enter a key" })).toBeDefined();
  expect(asked).toEqual(["a", "a"]);
});

test("an agent without sign-in methods shows where to sign in", async () => {
  show(<SignIn agentId="a" onClose={() => undefined} />, {
    agents: [anAgent("a")],
    api: { listSignInMethods: async () => ({ agent: "a", methods: [] }) },
  });
  expect(await screen.findByText(/Run it once in a terminal/)).toBeDefined();
});

test("a question during sign-in is not answered just after it appears", async () => {
  vi.useFakeTimers({ toFake: guardClock });
  const answerSignIn = vi.fn(async () => undefined);
  const question = {
    mode: "form",
    message: "Enter the key.",
    requestedSchema: { type: "object", properties: { key: { type: "string", title: "Key" } } },
  };
  const progress = { what: "sign-in", message: "", question } as unknown as AgentProgress;
  show(<SignIn agentId="a" onClose={() => undefined} />, {
    agents: [anAgent("a", { progress })],
    answerSignIn,
  });
  const send = screen.getByRole("button", { name: "Continue" });
  await userEvent.click(send);
  expect(answerSignIn).not.toHaveBeenCalled();
  passAnswerGuard();
  await userEvent.click(send);
  expect(answerSignIn).toHaveBeenCalledOnce();
});
