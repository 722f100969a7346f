import { writeFile } from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { finds, presses, sees, thread } from "./page-actions.ts";

const stage = useStage();

test("a session of 100,000 events opens at its end, scrolls up, and is searched", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("many") } });
  const sessionId = await gateway.open();
  const { head } = await gateway.promptUntil(sessionId, "build", (view) =>
    JSON.stringify(view.items.at(-1) ?? {}).includes("is over"),
  );
  expect(head).toBeGreaterThan(100_000);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await sees(page, "The long session is over.");
  await finds(thread(page).getByText("Answer number 399 of many.").last());
  // Only a window of it is rendered.
  expect(
    await thread(page)
      .getByText(/^Answer number/)
      .count(),
  ).toBeLessThan(200);

  // Scrolling up loads older pages up to the start.
  await expect
    .poll(async () => {
      await thread(page).evaluate((element) => element.scrollTo(0, 0));
      return thread(page).innerText();
    })
    .toMatch(/^Beginning of the conversation\s+build\s+Answer number 0 of many/);

  // A search hit leads to its event. 70,000 events are loaded on the way.
  await page.reload();
  await sees(page, "The long session is over.");
  await page.getByRole("searchbox", { name: /search/i }).fill("number 123 of");
  await presses(page.getByRole("region", { name: "In conversations" }).getByRole("link").first());
  const hit = thread(page).getByText("Answer number 123 of many.").first();
  await expect.poll(() => hit.isVisible()).toBe(true);
});

test("a message of 10,000 chunks that arrived at once is parsed to its last word", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("many") } });
  const sessionId = await gateway.open();
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await gateway.promptUntil(sessionId, "after 10000", ({ head }) => head > 10_000);
  await sees(page, "timingSafeEqual");
  await writeFile(path.join(gateway.project, "go"), "");
  await sees(page, "The last word.");
  const paragraphs = await thread(page).getByText("The quick comparison").count();
  expect(paragraphs).toBe(1_040);
});
