import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { comes, useStage } from "./browser-setup.ts";
import { scenario, type TestGateway } from "./gateway.ts";
import { answers, dock, finds, loses, say, thread } from "./page-actions.ts";

const stage = useStage();
const work = { agents: { scripted: scenario("work") } };

/** Two sessions, and the token of a link that opens the first. */
async function limitedTo(gateway: TestGateway, role: "watch" | "control") {
  const sessionId = await gateway.open("scripted", { title: "Shown" });
  await gateway.open("scripted", { title: "Not shown" });
  const device = { name: "Guest", role, session: sessionId };
  const { token } = (await gateway.call("POST", "/api/devices", device)) as { token: string };
  return { sessionId, token };
}

async function showsOneSessionOnly(page: Page): Promise<void> {
  await finds(page.getByText(/This link opens one conversation only/));
  await finds(page.getByRole("heading", { name: "Shown" }));
  for (const name of [/conversations/i, /settings/i])
    await loses(page.getByRole("button", { name }).or(page.getByRole("link", { name })));
  await loses(page.getByText("Not shown"));
}

// The stage fails a test in which a request of the page was refused.
test.each(["wide", "phone"] as const)(
  "a link that is limited to one session opens it, and nothing else (%s)",
  async (size) => {
    const gateway = await stage().gateway(work);
    const { sessionId, token } = await limitedTo(gateway, "control");
    const page = await stage().page(gateway, { token, size });
    await showsOneSessionOnly(page);
    await finds(page.getByText(/You can read it and work in it/));
    await say(page, "Run the command");
    await finds(dock(page));
    await loses(dock(page).getByRole("button", { name: /make a rule/ }));
    await answers(dock(page).getByRole("button", { name: /allow once/i }));
    await gateway.until(sessionId, ({ turn }) => turn.state === "idle");

    await page.getByRole("button", { name: "Conversation menu" }).click();
    await finds(page.getByRole("menuitem", { name: "Rename…" }));
    await loses(page.getByRole("menuitem", { name: /Fork|Delete/ }));
    await page.keyboard.press("Escape");

    for (const hash of ["#/settings/devices", "#/", "#/s/other"]) {
      await page.evaluate((to) => {
        location.hash = to;
      }, hash);
      await showsOneSessionOnly(page);
    }
  },
);

test("with the role watch it can be read, and says so", async () => {
  const gateway = await stage().gateway(work);
  const { sessionId, token } = await limitedTo(gateway, "watch");
  const page = await stage().page(gateway, { token });
  await finds(page.getByText(/You can read it\./));
  await gateway.prompt(sessionId, "Good morning");
  await finds(thread(page).getByText("Good morning"));
  await comes(() => page.getByRole("textbox").count()).toBe(0);
  expect(await page.title()).toContain("Shown");
});
