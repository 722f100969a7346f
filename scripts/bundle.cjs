"use strict";
// Where the bundle and the page are, and whether they were made of the sources as they are now. Plain
// CommonJS, old syntax: it runs under whatever Node the machine has.
//
// Each build lies in a folder that is named for the content of everything that it was made of, and is never
// changed: so an edited source never meets an old build, and a gateway that runs goes on loading from its
// own folders while the next ones are built.

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const packages = path.join(root, "packages");
/** What is in no bundle of ours. */
const APART = ["testing", "web"];
/** What the page is made of. */
const IN_PAGE = ["client", "protocol", "web"];

/**
 * How the runtime of a gateway is started. It makes much garbage that is young: where that is collected
 * often, in a small space, memory stays small under traffic, and pauses short. Can't be set later.
 */
const serveFlags = ["--max-semi-space-size=4"];

/** Beside builds there may be some that are still being written. */
function isName(name) {
  return /^[0-9a-f]{16}$/.test(name);
}

function hasSources(name) {
  return fs.existsSync(path.join(packages, name, "src"));
}

/** Everything that the bundle depends on, whatever is imported; tests are not. */
function bundleSources() {
  const names = fs.readdirSync(packages).filter(function (name) {
    return APART.indexOf(name) === -1 && hasSources(name);
  });
  return sharedSources().concat(packageSources(names.sort()));
}

/** Null where there are none, as in a tree that was given out with a page in it. */
function pageSources() {
  if (!hasSources("web")) return null;
  const web = path.join("packages", "web");
  const files = ["tsconfig.json"].concat(
    ["index.html", "vite.config.ts", "tsconfig.json"].map(function (name) {
      return path.join(web, name);
    }),
  );
  addFiles(path.join(web, "public"), files);
  return sharedSources().concat(files, packageSources(IN_PAGE.filter(hasSources)));
}

function sharedSources() {
  const files = ["package-lock.json"];
  addFiles(path.join("scripts", "build"), files);
  return files;
}

function packageSources(names) {
  const files = [];
  names.forEach(function (name) {
    const folder = path.join("packages", name);
    files.push(path.join(folder, "package.json"));
    addFiles(path.join(folder, "src"), files);
  });
  return files;
}

function addFiles(folder, files) {
  if (!fs.existsSync(path.join(root, folder))) return;
  fs.readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort(function (left, right) {
      return left.name < right.name ? -1 : 1;
    })
    .forEach(function (entry) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) addFiles(file, files);
      else if (!/\.test\.tsx?$/.test(entry.name)) files.push(file);
    });
}

/** Null for one that another build has removed by now. */
function usedAt(folder) {
  try {
    return fs.statSync(folder).mtimeMs;
  } catch {
    return null;
  }
}

/** Builds in a folder, each named for its sources. */
function namedBuilds(dist, listSources) {
  /** The name of what these sources make; null when there are none. */
  function wantedName() {
    const files = listSources();
    if (files === null) return null;
    const hash = crypto.createHash("sha256");
    files.forEach(function (file) {
      const content = fs.readFileSync(path.join(root, file));
      hash.update(file + "\0" + content.length + "\0").update(content);
    });
    return hash.digest("hex").slice(0, 16);
  }

  /** The folder of what was built of these sources; null when it has not been. */
  function findFresh() {
    const name = wantedName();
    const folder = name && path.join(dist, name);
    return folder && fs.existsSync(folder) ? folder : null;
  }

  /** Whether there is nothing to build; what is there is the newest then, as if it had just been built. */
  function useFresh() {
    const folder = findFresh();
    const now = new Date();
    if (folder !== null) fs.utimesSync(folder, now, now);
    return folder !== null || listSources() === null;
  }

  /** Those that are there, the newest first. */
  function folders() {
    const names = fs.existsSync(dist) ? fs.readdirSync(dist).filter(isName) : [];
    return names
      .map(function (name) {
        const folder = path.join(dist, name);
        return { folder: folder, usedAt: usedAt(folder) };
      })
      .filter(function (one) {
        return one.usedAt !== null;
      })
      .sort(function (left, right) {
        return right.usedAt - left.usedAt;
      })
      .map(function (one) {
        return one.folder;
      });
  }

  return {
    dist: dist,
    findFresh: findFresh,
    folders: folders,
    useFresh: useFresh,
    wantedName: wantedName,
  };
}

const bundle = namedBuilds(path.join(packages, "cli", "dist"), bundleSources);
const page = namedBuilds(path.join(packages, "web", "dist"), pageSources);

const findFresh = bundle.findFresh;
const folders = bundle.folders;

// Names alone: anything longer hides the exports behind it from ES modules.
module.exports = {
  bundle: bundle,
  findFresh: findFresh,
  folders: folders,
  page: page,
  serveFlags: serveFlags,
};
