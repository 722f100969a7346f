import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { dock, finds, sees, thread } from "./page-actions.ts";

const stage = useStage();

test("content of a hostile agent is displayed and has no effect", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("hostile") } });
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "hostile");
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await sees(page, "That was everything.");
  await finds(page.getByRole("heading", { name: /<img src=x onerror=alert\(1\)> title/ }));
  const conversation = thread(page);
  // Everything that can be opened in place; a dialog would cover the rest.
  const closed = conversation.locator('button[aria-expanded="false"]:not([aria-haspopup])');
  while ((await closed.count()) > 0) await closed.first().click();
  await sees(page, "<script>window.isBroken = true</script>");

  expect(await page.evaluate("window.isBroken")).toBe(undefined);
  expect(await conversation.locator("script, iframe, style, object, embed").count()).toBe(0);
  const links = await conversation.getByRole("link").all();
  const addresses = await Promise.all(links.map((link) => link.getAttribute("href")));
  expect(addresses.length).toBeGreaterThan(0);
  for (const address of addresses) expect(address).toMatch(/^(https?:|mailto:|#|vscode:)/);
  const pictures = await conversation.locator("img").all();
  for (const picture of pictures)
    expect(await picture.getAttribute("src")).toMatch(/^(data:image|blob:)/);

  // No word and no table makes the page wider.
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(width).toBeLessThanOrEqual(0);
  const inside = await conversation.evaluate(
    ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
  );
  expect(inside).toBeLessThanOrEqual(0);
});

test("a hostile question is a normal question", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("hostile") } });
  const sessionId = await gateway.open();
  await gateway.promptUntil(sessionId, "ask", ({ openAsks }) => openAsks.length > 0);
  const page = await stage().page(gateway, { hash: `#/s/${sessionId}` });
  await finds(dock(page).getByText("<script>window.isBroken = true</script>"));
  await finds(dock(page).getByText(/<img src=/));
  expect(await page.evaluate("window.isBroken")).toBe(undefined);
});

test("the content security policy allows only the page's own files", async () => {
  const gateway = await stage().gateway({});
  const page = await stage().page(gateway, { hash: "#/" });
  const response = await page.reload();
  const policy = (await response?.headerValue("content-security-policy")) ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(await page.locator("script:not([src])").count()).toBe(0);
});
