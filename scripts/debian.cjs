"use strict";
// Installs programs for the tests from Debian packages. Plain CommonJS with old syntax, so that it runs on any Node.

const childProcess = require("child_process");
const fs = require("fs");
const path = require("path");
const setup = require("./setup.cjs");

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The path of a program; null if it is not on the PATH. */
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

/** Only as root, because nothing may ask for a password. */
function canInstall() {
  return Boolean(process.getuid && process.getuid() === 0 && onPath("apt-get"));
}

/** Calls back with null, or with the output of apt-get if it failed. `what` is the display name: "Chromium". */
function install(packageName, what, reason, done) {
  setup.say("Installing " + what + ", " + reason + "…");
  const startedAt = Date.now();
  const seconds = function () {
    return Math.round((Date.now() - startedAt) / 1000) + " s";
  };
  const ticker = setInterval(function () {
    setup.say("  still installing, " + seconds());
  }, 10000);
  installWithApt(packageName, function (problem) {
    clearInterval(ticker);
    if (problem === null) setup.say(what + " is installed, " + seconds() + ".");
    done(problem);
  });
}

/** Fetches the package lists if they are old or missing, as in a container. */
function installWithApt(packageName, done) {
  // Another installation may be running, such as automatic updates.
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  const args = ["install", "-y", "--no-install-recommends"].concat(wait, packageName);
  aptGet(args, function (first) {
    if (first === null) done(null);
    else {
      aptGet(["update"], function (update) {
        aptGet(args, function (second) {
          done(second === null ? null : (update || "") + second);
        });
      });
    }
  });
}

/** Calls back with null, or with the output if it failed. */
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

module.exports = {
  canInstall: canInstall,
  install: install,
  isProgram: isProgram,
  onPath: onPath,
};
