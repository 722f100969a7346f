/** The browser that `npm test` finds or installs. */
export { findChromium } from "../../../scripts/chromium.cjs";
