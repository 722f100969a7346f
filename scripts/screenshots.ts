import { mkdir, rm } from "node:fs/promises";
import * as path from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, Stage } from "../packages/web/test/stage.ts";
import { isAtRest } from "../packages/web/test/page-actions.ts";
import { states, type Scene, type State } from "../packages/web/test/states.ts";

/**
 * npm run screenshots -- [--out FOLDER] [STATE …]
 * Takes screenshots of every state of the page: state-light.png, state-dark.png and state-phone.png.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: ".cache/screenshots" } },
});
const folder = path.resolve(values.out);
const unknown = positionals.filter((name) => !states.some((state) => state.name === name));
if (unknown.length > 0) {
  const known = states.map(({ name }) => name).join(", ");
  console.error(`Unknown state: ${unknown.join(", ")}. Known states: ${known}.`);
  process.exit(2);
}
const chosen = states.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

await mkdir(folder, { recursive: true });
const browser = await launchBrowser();
let failed = 0;
for (const [index, state] of chosen.entries()) {
  const place = `[${index + 1}/${chosen.length}] ${state.name}`;
  try {
    const complaints = await pictures(browser, state);
    console.log(place);
    for (const complaint of complaints) console.log(`  ! ${complaint}`);
  } catch (error) {
    failed += 1;
    console.log(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await browser.close();
console.log(`The screenshots are in ${folder}.`);
process.exitCode = failed === 0 ? 0 : 1;

/** Resolves to the errors that the pages logged. */
async function pictures(of: Browser, state: State): Promise<readonly string[]> {
  await using stage = new Stage(of);
  const scene = await state.set(stage);
  const wide = await take(stage, scene, state.name, "wide", "light");
  await wide.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await picture(wide, state.name, "dark");
  await wide.close();
  scene.leave?.();
  await take(stage, scene, state.name, "phone", "phone");
  return stage.complaints;
}

async function take(
  stage: Stage,
  { gateway, hash, show, isCutOff = false }: Scene,
  name: string,
  size: "wide" | "phone",
  variant: string,
): Promise<Page> {
  const page = await stage.page(gateway, { size, hash, isCutOff });
  try {
    await show(page, size);
    await picture(page, name, variant);
  } catch (error) {
    // Take the screenshot anyway, because it shows what went wrong.
    await picture(page, name, `${variant}-failed`);
    throw error;
  }
  return page;
}

async function picture(page: Page, name: string, variant: string): Promise<void> {
  const file = (suffix: string) => path.join(folder, `${name}-${suffix}.png`);
  await rm(file(`${variant}-failed`), { force: true });
  // Wait for content that loads later: syntax highlighting, images, lists.
  await page.waitForLoadState("networkidle");
  await isAtRest(page);
  await page.screenshot({ path: file(variant), animations: "disabled" });
}
