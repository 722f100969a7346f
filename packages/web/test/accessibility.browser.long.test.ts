import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { accessibilityViolations } from "./accessibility.ts";
import { useStage } from "./browser-setup.ts";
import { scenario } from "./gateway.ts";
import { sizes } from "./stage.ts";
import { states } from "./states.ts";

const stage = useStage();

describe("axe finds no violations", () => {
  test.each(states.map((state) => [state.name, state] as const))("%s", async (_name, state) => {
    const { gateway, hash, show, isCutOff = false, narrow } = await state.set(stage());
    const page = await stage().page(gateway, { hash, isCutOff });
    await show(page, "wide");
    expect(await accessibilityViolations(page)).toEqual([]);
    // Dark differs only in its colours, so two runs cover both sizes and both themes.
    await becomePhone(page);
    await narrow?.(page);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

/** Makes the page narrow, dark and touch-operated. */
async function becomePhone(page: Page): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  await browser.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 1 });
  await page.setViewportSize(sizes.phone);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => matchMedia("(pointer: coarse) and (max-width: 500px)").matches);
}

test("the clear button of the search is visible in forced colours", async () => {
  const gateway = await stage().gateway({ agents: { scripted: scenario("work") } });
  await gateway.open();
  const page = await stage().page(gateway, { hash: "#/" });
  const search = page.getByRole("searchbox").first();
  /** A screenshot of the end of the field, where the button is. */
  const endOf = async (words: string) => {
    await search.fill(words);
    const { x, y, width, height } = (await search.boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    const end = { x: x + width - 40, y, width: 40, height };
    return (await page.screenshot({ clip: end, animations: "disabled" })).toString("base64");
  };
  for (const forcedColors of ["none", "active"] as const) {
    await page.emulateMedia({ forcedColors });
    expect(await endOf("words")).not.toBe(await endOf(""));
    // Nothing else changes there.
    expect(await endOf("")).toBe(await endOf(""));
  }
});
