import { describe, expect, test } from "vitest";
import { breachesOf } from "./accessible.ts";
import { useStage } from "./chat.ts";
import { states } from "./states.ts";

const stage = useStage();

describe("no breach of accessibility that axe knows", () => {
  test.each(states.map((state) => [state.name, state] as const))("%s", async (_name, state) => {
    const { gateway, hash, show, isCutOff = false, leave } = await state.set(stage());
    const page = await stage().page(gateway, { hash, isCutOff });
    await show(page, "wide");
    expect(await breachesOf(page)).toEqual([]);
    await page.close();
    leave?.();
    // What is dark differs in its colours alone: by two looks, both sizes and both themes are seen.
    const phone = await stage().page(gateway, { hash, isCutOff, size: "phone", theme: "dark" });
    await show(phone, "phone");
    expect(await breachesOf(phone)).toEqual([]);
  });
});
