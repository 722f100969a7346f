import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { isAtRest } from "./page-actions.ts";

/** What axe finds wrong, in a line each: the rule, the element and why. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await isAtRest(page);
  // What passes is counted by nobody, and finding all of it takes longer than finding what is wrong. Nor are
  // there frames, for whose findings axe would open a page of its own.
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
