import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { isAtRest } from "./page-actions.ts";

/** The violations that axe finds, one line each: rule, element and reason. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await isAtRest(page);
  // Only violations, because listing passes takes longer. There are no frames, for which axe would open another
  // page.
  const axe = new AxeBuilder({ page })
    .options({ resultTypes: ["violations"], preload: false })
    .setLegacyMode();
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, html, failureSummary = "" }) =>
      [id, help, target.join(" "), html.slice(0, 300), failureSummary.replaceAll("\n", " ")].join(
        " | ",
      ),
    ),
  );
}
