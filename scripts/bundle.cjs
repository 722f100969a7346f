"use strict";
// Finds the builds of the bundle and the page, and tells whether they match the current sources. Plain CommonJS with
// old syntax, so that it runs on any Node.
//
// Each build is in a folder named by the hash of its sources and is never modified. So a changed source never matches
// an old build, and a running gateway keeps loading from its own folder.

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const packages = path.join(root, "packages");
/** Folders that no bundle contains. */
const APART = ["testing", "web"];
/** The sources of the page. */
const IN_PAGE = ["client", "protocol", "web"];

/**
 * Node flags of a gateway. It allocates much short-lived garbage: a small young generation keeps memory small and
 * pauses short. It can't be set after the start.
 */
const serveFlags = ["--max-semi-space-size=4"];

/** Excludes drafts that are still being written. */
function isName(name) {
  return /^[0-9a-f]{16}$/.test(name);
}

function hasSources(name) {
  return fs.existsSync(path.join(packages, name, "src"));
}

/** All files that the bundle may depend on, without tests. */
function bundleSources() {
  const names = fs.readdirSync(packages).filter(function (name) {
    return APART.indexOf(name) === -1 && hasSources(name);
  });
  return sharedSources().concat(packageSources(names.sort()));
}

/** Null if the tree has no sources of the page, as in a release that contains the built page. */
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

/** Null if another build removed it meanwhile. */
function usedAt(folder) {
  try {
    return fs.statSync(folder).mtimeMs;
  } catch {
    return null;
  }
}

/** Builds in a folder, each named by the hash of its sources. */
function namedBuilds(dist, listSources) {
  /** The name of the build of these sources; null if there are no sources. */
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

  /** The folder of the build of these sources; null if they are not built. */
  function findFresh() {
    const name = wantedName();
    const folder = name && path.join(dist, name);
    return folder && fs.existsSync(folder) ? folder : null;
  }

  /** Whether the sources are already built. Marks that build as the newest. */
  function useFresh() {
    const folder = findFresh();
    const now = new Date();
    if (folder !== null) fs.utimesSync(folder, now, now);
    return folder !== null || listSources() === null;
  }

  /** All builds, newest first. */
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

// Plain names only: ES modules can't detect the exports otherwise.
module.exports = {
  bundle: bundle,
  findFresh: findFresh,
  folders: folders,
  page: page,
  serveFlags: serveFlags,
};
