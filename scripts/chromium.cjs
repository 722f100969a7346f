"use strict";
// Finds or installs the browser for the tests of the page. Plain CommonJS with old syntax, so that it runs on any Node.

const debian = require("./debian.cjs");
const setup = require("./setup.cjs");

const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
];
const MAC_PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/** The path of Chromium or Chrome; null if there is none. CHROME_PATH takes precedence. */
function look() {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (debian.isProgram(chosen)) return chosen;
    throw new setup.SetupError("CHROME_PATH is not an executable file: " + chosen);
  }
  const mac = process.platform === "darwin" ? MAC_PLACES.filter(debian.isProgram) : [];
  return NAMES.map(debian.onPath).filter(Boolean).concat(mac)[0] || null;
}

function howToInstall() {
  if (process.platform === "darwin") return "brew install --cask chromium";
  if (debian.onPath("apt-get")) return "sudo apt-get install -y --no-install-recommends chromium";
  if (debian.onPath("dnf")) return "sudo dnf install chromium";
  if (debian.onPath("pacman")) return "sudo pacman -S chromium";
  return "install Chromium or Chrome";
}

function missing() {
  return new setup.SetupError(
    "The tests of the page need Chromium or Chrome, but none was found. Install it:\n\n  " +
      howToInstall() +
      "\n\nor set CHROME_PATH=/path/to/chrome, or skip these tests: npm test -- --no-browser",
  );
}

/** The path of Chromium or Chrome; throws with instructions if there is none. */
function findChromium() {
  const found = look();
  if (found === null) throw missing();
  return found;
}

/** Calls back when there is a browser; installs one if possible. */
function ensureChromium(done) {
  try {
    if (look() !== null) return done(null);
  } catch (error) {
    return done(error);
  }
  if (!debian.canInstall()) return done(missing());
  const reason = "for the tests of the page (once; a minute or two)";
  debian.install("chromium", "Chromium", reason, function (problem) {
    done(problem === null ? null : notInstalled(problem));
  });
  return undefined;
}

function notInstalled(said) {
  return new setup.SetupError(
    said.trim() +
      "\n\nChromium could not be installed. Check the network, or skip these tests: npm test -- --no-browser",
  );
}

module.exports = { ensureChromium: ensureChromium, findChromium: findChromium };
