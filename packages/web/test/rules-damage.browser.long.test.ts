import * as fs from "node:fs/promises";
import * as path from "node:path";
import { expect, test } from "vitest";
import { useStage } from "./browser-setup.ts";
import { finds, loses } from "./page-actions.ts";

const stage = useStage();

test("a damaged rules file is shown on every page until a person turns approvals back on", async () => {
  const gateway = await stage().gateway({});
  await gateway.end("SIGTERM");
  await fs.writeFile(path.join(gateway.data, "rules.json"), "{");
  await gateway.start();
  const page = await stage().page(gateway);
  const other = await stage().page(gateway);
  await finds(other.getByText(/Automatic approvals are off/));

  expect(await page.getByRole("button", { name: "Turn automatic approvals back on" }).count()).toBe(
    0,
  );
  await page.getByRole("link", { name: "Open rules" }).click();
  await finds(page.getByText(/it is not JSON/));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const tabs = page.getByRole("navigation", { name: "Settings" });
    const hidden = await tabs.evaluate((shown) => {
      shown.scrollTop = 10;
      return shown.scrollTop;
    });
    expect(hidden).toBe(0);
    const bar = await tabs.evaluate((shown: HTMLElement) => shown.offsetWidth - shown.clientWidth);
    expect(bar).toBe(0);
  }
  await page.getByRole("button", { name: "Turn automatic approvals back on" }).click();
  await loses(page.getByText(/Automatic approvals are off/));
  await loses(other.getByText(/Automatic approvals are off/));
  expect(await gateway.call("GET", "/api/rules")).toEqual({ rules: [], damage: null });
});
