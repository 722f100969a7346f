"use strict";
// Linux programs that tests need. Plain CommonJS with old syntax, so that it runs on any Node.

const debian = require("./debian.cjs");
const setup = require("./setup.cjs");

/** By program name: the Debian package, and its use in the tests. */
const programs = {
  strace: { package: "strace", reason: "under which harmless command lines are executed (once)" },
  bwrap: { package: "bubblewrap", reason: "in which programs are confined (once)" },
  openssl: { package: "openssl", reason: "which makes certificates (once)" },
};

/** The path of a program; null if there is none. */
function find(name) {
  return process.platform === "linux" ? debian.onPath(name) : null;
}

/** Where programs can be installed without a password, a missing one is an error, and tests are not skipped. */
function isRequired() {
  return process.platform === "linux" && debian.canInstall();
}

/** Calls back when all are installed, or when this machine can't install them. */
function ensureAll(done) {
  const missing = Object.keys(programs).filter(function (name) {
    return find(name) === null;
  });
  ensureEach(missing, done);
}

function ensureEach(names, done) {
  if (names.length === 0) return done(null);
  return ensure(names[0], function (problem) {
    if (problem !== null) done(problem);
    else ensureEach(names.slice(1), done);
  });
}

function ensure(name, done) {
  const packageName = programs[name].package;
  if (!isRequired()) {
    setup.say(packageName + " was not found: the tests that need it are skipped.");
    return done(null);
  }
  debian.install(packageName, packageName, programs[name].reason, function (problem) {
    if (problem === null) return done(null);
    const text =
      problem.trim() + "\n\n" + packageName + " could not be installed. Check the network.";
    return done(new setup.SetupError(text));
  });
  return undefined;
}

module.exports = {
  ensureAll: ensureAll,
  find: find,
  isRequired: isRequired,
};
