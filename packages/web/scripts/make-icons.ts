/**
 * Renders the PNG icons in `public` from `icon.svg` with Chromium. Run it when the icon changes: `node
 * --conditions=@landline/source packages/web/scripts/make-icons.ts`
 */
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";
import { findChromium } from "../test/chromium.ts";

const folder = new URL("../public/", import.meta.url);
const svg = await readFile(new URL("icon.svg", folder), "utf8");
/** The safe zone of a maskable icon is a circle with four fifths of its width. */
const maskable = svg
  .replace('viewBox="0 0 32 32"', 'viewBox="-5 -5 42 42"')
  .replace('<rect width="32" height="32" rx="7"', '<rect x="-5" y="-5" width="42" height="42"');

const icons = [
  { name: "icon-192.png", size: 192, picture: svg },
  { name: "icon-512.png", size: 512, picture: svg },
  { name: "apple-touch-icon.png", size: 180, picture: maskable },
  { name: "icon-maskable-512.png", size: 512, picture: maskable },
];

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
try {
  for (const { name, size, picture } of icons) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(
      `<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${picture}`,
    );
    const path = new URL(name, folder).pathname;
    await page.screenshot({ path, omitBackground: true });
    await page.close();
  }
} finally {
  await browser.close();
}
