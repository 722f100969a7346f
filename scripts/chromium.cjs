"use strict";
// Where the browser is that the page is tested in, and how it gets here. Plain CommonJS, old syntax: it runs
// under whatever Node the machine has.

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

/** The path of a Chromium or Chrome; null when there is none. CHROME_PATH counts before anything else. */
function look() {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (debian.isProgram(chosen)) return chosen;
    throw new setup.SetupError("CHROME_PATH names no program: " + chosen);
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
    "The page is tested in Chromium or Chrome, and none was found. Install it:\n\n  " +
      howToInstall() +
      "\n\nor name one with CHROME_PATH=/path/to/chrome, or leave these tests out: npm test -- --no-browser",
  );
}

/** The path of a Chromium or Chrome; throws with what to do when there is none. */
function findChromium() {
  const found = look();
  if (found === null) throw missing();
  return found;
}

/** Calls back when there is a browser; installs it where that can be done. */
function ensureChromium(done) {
  try {
    if (look() !== null) return done(null);
  } catch (error) {
    return done(error);
  }
  if (!debian.canInstall()) return done(missing());
  const reason = "in which the page is tested (once; a minute or two)";
  debian.install("chromium", "Chromium", reason, function (problem) {
    done(problem === null ? null : notInstalled(problem));
  });
  return undefined;
}

function notInstalled(said) {
  return new setup.SetupError(
    said.trim() +
      "\n\nChromium could not be installed. Check the network, or leave these tests out: npm test -- --no-browser",
  );
}

module.exports = { ensureChromium: ensureChromium, findChromium: findChromium };
