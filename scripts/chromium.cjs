"use strict";
// Where the browser is that the page is tested in, and how it gets here. Plain CommonJS, old syntax: it runs
// under whatever Node the machine has.

const childProcess = require("child_process");
const fs = require("fs");
const path = require("path");
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

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function onPath(name) {
  const found = (process.env.PATH || "")
    .split(path.delimiter)
    .filter(Boolean)
    .map(function (folder) {
      return path.join(folder, name);
    })
    .filter(isProgram);
  return found.length > 0 ? found[0] : null;
}

/** The path of a Chromium or Chrome; null when there is none. CHROME_PATH counts before anything else. */
function look() {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (isProgram(chosen)) return chosen;
    throw new setup.SetupError("CHROME_PATH names no program: " + chosen);
  }
  const mac = process.platform === "darwin" ? MAC_PLACES.filter(isProgram) : [];
  return NAMES.map(onPath).filter(Boolean).concat(mac)[0] || null;
}

function howToInstall() {
  if (process.platform === "darwin") return "brew install --cask chromium";
  if (onPath("apt-get")) return "sudo apt-get install -y --no-install-recommends chromium";
  if (onPath("dnf")) return "sudo dnf install chromium";
  if (onPath("pacman")) return "sudo pacman -S chromium";
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

/** Debian's own package: only where nobody has to be asked for a password. */
function canInstall() {
  return Boolean(process.getuid && process.getuid() === 0 && onPath("apt-get"));
}

/** Calls back when there is a browser; installs it where that can be done. */
function ensureChromium(done) {
  try {
    if (look() !== null) return done(null);
  } catch (error) {
    return done(error);
  }
  if (!canInstall()) return done(missing());
  setup.say("Installing Chromium, in which the page is tested (once; a minute or two)…");
  const startedAt = Date.now();
  const seconds = function () {
    return Math.round((Date.now() - startedAt) / 1000) + " s";
  };
  const ticker = setInterval(function () {
    setup.say("  still installing, " + seconds());
  }, 10000);
  const finish = function (error) {
    clearInterval(ticker);
    if (!error) setup.say("Chromium is installed, " + seconds() + ".");
    done(error);
  };
  installWithApt(finish);
  return undefined;
}

/** The lists of packages may be old, or not there at all, as in a container: then they are fetched. */
function installWithApt(done) {
  const install = ["install", "-y", "--no-install-recommends", "chromium"];
  aptGet(install, function (first) {
    if (first === null) done(null);
    else {
      aptGet(["update"], function (update) {
        aptGet(install, function (second) {
          done(second === null ? null : notInstalled((update || "") + second));
        });
      });
    }
  });
}

function notInstalled(said) {
  return new setup.SetupError(
    said.trim() +
      "\n\nChromium could not be installed. Check the network, or leave these tests out: npm test -- --no-browser",
  );
}

/** Calls back with null, or with what it said when it failed. */
function aptGet(args, done) {
  const env = Object.assign({}, process.env, { DEBIAN_FRONTEND: "noninteractive" });
  const child = childProcess.spawn("apt-get", args, {
    env: env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = function (chunk) {
    output = (output + chunk).slice(-8000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  let isTold = false;
  const tell = function (problem) {
    if (!isTold) done(problem);
    isTold = true;
  };
  child.on("error", function (error) {
    tell("apt-get could not be started (" + error.code + ").");
  });
  child.on("close", function (code) {
    tell(code === 0 ? null : output);
  });
}

module.exports = { ensureChromium: ensureChromium, findChromium: findChromium };
