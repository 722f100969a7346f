/** The browser of the tests is the one that `npm test` looks for, and installs where it can. */
export { findChromium } from "../../../scripts/chromium.cjs";
