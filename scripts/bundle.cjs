"use strict";
// Where the bundle is, and whether it was made of the sources as they are now. Plain CommonJS, old
// syntax: it runs under whatever Node the machine has.
//
// Each bundle lies in a folder that is named for the content of everything that it was made of, and is never
// changed: so an edited source never meets an old bundle, and a gateway that runs goes on loading from its
// own folder while the next one is built.

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const dist = path.join(root, "packages", "cli", "dist");
/** What is in no bundle of ours. */
const APART = ["testing", "web"];

/**
 * How the runtime of a gateway is started. It makes much garbage that is young: where that is collected
 * often, in a small space, memory stays small under traffic, and pauses short. Can't be set later.
 */
const serveFlags = ["--max-semi-space-size=4"];

/** Beside bundles there may be some that are still being written. */
function isName(name) {
  return /^[0-9a-f]{16}$/.test(name);
}

/** Everything that the bundle depends on, whatever is imported; tests are not. */
function sourceFiles() {
  const files = ["package-lock.json"];
  addFiles(path.join("scripts", "build"), files);
  const packages = path.join(root, "packages");
  fs.readdirSync(packages)
    .sort()
    .forEach(function (name) {
      const folder = path.join("packages", name);
      if (APART.indexOf(name) !== -1 || !fs.existsSync(path.join(root, folder, "src"))) return;
      files.push(path.join(folder, "package.json"));
      addFiles(path.join(folder, "src"), files);
    });
  return files;
}

function addFiles(folder, files) {
  fs.readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort(function (left, right) {
      return left.name < right.name ? -1 : 1;
    })
    .forEach(function (entry) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) addFiles(file, files);
      else if (!entry.name.endsWith(".test.ts")) files.push(file);
    });
}

/** The name of the bundle that these sources make. */
function wantedName() {
  const hash = crypto.createHash("sha256");
  sourceFiles().forEach(function (file) {
    const content = fs.readFileSync(path.join(root, file));
    hash.update(file + "\0" + content.length + "\0").update(content);
  });
  return hash.digest("hex").slice(0, 16);
}

/** The folder of the bundle of these sources; null when it has not been built. */
function findFresh() {
  const folder = path.join(dist, wantedName());
  return fs.existsSync(folder) ? folder : null;
}

/** Whether there is one of these sources; it is the newest then, as if it had just been built. */
function useFresh() {
  const folder = findFresh();
  const now = new Date();
  if (folder !== null) fs.utimesSync(folder, now, now);
  return folder !== null;
}

/** Those that are there, the newest first. */
function folders() {
  const names = fs.existsSync(dist) ? fs.readdirSync(dist).filter(isName) : [];
  return names
    .map(function (name) {
      const folder = path.join(dist, name);
      return { folder: folder, usedAt: fs.statSync(folder).mtimeMs };
    })
    .sort(function (left, right) {
      return right.usedAt - left.usedAt;
    })
    .map(function (one) {
      return one.folder;
    });
}

module.exports = {
  dist: dist,
  findFresh: findFresh,
  folders: folders,
  serveFlags: serveFlags,
  useFresh: useFresh,
  wantedName: wantedName,
};
