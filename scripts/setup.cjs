"use strict";
// Set-up for every command: installs packages if they are missing or the lockfile changed, and finds the pinned Node.
// Plain CommonJS with old syntax and no dependencies, so that it runs on any Node.

const childProcess = require("child_process");
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

const root = path.join(__dirname, "..");
const modules = path.join(root, "node_modules");
const stampFile = path.join(modules, ".landline-setup");
const lockFile = path.join(root, "package-lock.json");
const busyFile = path.join(root, ".setup-busy");
const NODE_NEEDED = [24, 15];
const WAIT_MS_MAX = 15 * 60 * 1000;

class SetupError extends Error {}

function say(text) {
  process.stderr.write(text + "\n");
}

/** Identifies an installation: the lockfile and the platform. */
function wantedStamp() {
  return crypto
    .createHash("sha256")
    .update(fs.readFileSync(lockFile))
    .update(process.platform + "-" + process.arch)
    .digest("hex");
}

function isInstalled(stamp) {
  try {
    return fs.readFileSync(stampFile, "utf8") === stamp;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Allows one set-up at a time in this folder. The lock file contains the pid, so that a stale lock is ignored. */
function takeTurn(done) {
  const startedAt = Date.now();
  let told = false;
  const attempt = function () {
    try {
      fs.writeFileSync(busyFile, String(process.pid), { flag: "wx" });
      return done(null);
    } catch (error) {
      if (error.code !== "EEXIST") {
        return done(
          new SetupError(
            "Can't write to " + root + " (" + error.code + "). Check who owns the folder.",
          ),
        );
      }
    }
    const owner = readOwner();
    if (owner !== null && !isAlive(owner)) {
      fs.unlinkSync(busyFile);
      return attempt();
    }
    if (Date.now() - startedAt > WAIT_MS_MAX) {
      return done(
        new SetupError(
          "Another set-up (process " +
            owner +
            ") is still running. Stop it, or delete " +
            busyFile +
            ".",
        ),
      );
    }
    if (!told) say("Another set-up is running here (process " + owner + "); waiting for it…");
    told = true;
    setTimeout(attempt, 300);
    return undefined;
  };
  attempt();
}

function readOwner() {
  try {
    const pid = Number(fs.readFileSync(busyFile, "utf8"));
    return pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function npmCommand() {
  const script = process.env.npm_execpath;
  if (script && /\.c?js$/.test(script))
    return { command: process.execPath, args: [script], shell: false };
  return { command: "npm", args: [], shell: process.platform === "win32" };
}

function install(stamp, done) {
  const npm = npmCommand();
  const startedAt = Date.now();
  const seconds = function () {
    return Math.round((Date.now() - startedAt) / 1000) + " s";
  };
  say("Installing packages (once; about a minute)…");
  const ticker = setInterval(function () {
    say("  still installing, " + seconds());
  }, 10000);
  // `npm ci` fails if a registry lacks a binary for another platform. A plain install does not, and it leaves the
  // lockfile unchanged.
  const child = childProcess.spawn(
    npm.command,
    npm.args.concat(["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"]),
    { cwd: root, shell: npm.shell, stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  const keep = function (chunk) {
    output = (output + chunk).slice(-8000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  child.on("error", function (error) {
    clearInterval(ticker);
    done(
      new SetupError(
        "npm could not be started (" + error.code + "). Install Node with npm, and try again.",
      ),
    );
  });
  child.on("close", function (code) {
    clearInterval(ticker);
    if (code !== 0) {
      done(
        new SetupError(
          output.trim() +
            "\n\nThe installation failed (npm reported " +
            code +
            "). Check the network and the disk space, and run the command again.",
        ),
      );
      return;
    }
    fs.writeFileSync(stampFile, stamp);
    say("Installed in " + seconds() + ".");
    done(null);
  });
}

/** Calls back when all packages are installed. */
function ensureInstalled(done) {
  const stamp = wantedStamp();
  if (isInstalled(stamp)) return done(null);
  takeTurn(function (error) {
    if (error) return done(error);
    const finish = function (problem) {
      fs.unlinkSync(busyFile);
      done(problem);
    };
    // Another set-up may have installed everything meanwhile.
    if (isInstalled(stamp)) return finish(null);
    install(stamp, finish);
    return undefined;
  });
  return undefined;
}

function isNewEnough(version) {
  const parts = version.replace(/^v/, "").split(".").map(Number);
  return parts[0] > NODE_NEEDED[0] || (parts[0] === NODE_NEEDED[0] && parts[1] >= NODE_NEEDED[1]);
}

/** The pinned Node. If there is no package for the platform, the current Node if it is new enough. */
function findRuntime() {
  const pinned =
    process.platform === "win32"
      ? path.join(modules, "node-win-" + process.arch, "bin", "node.exe")
      : path.join(modules, ".bin", "node");
  if (fs.existsSync(pinned)) {
    if (isThisProcess(pinned)) return pinned;
    const found = childProcess.spawnSync(pinned, ["--version"], { encoding: "utf8" });
    if (found.status === 0 && isNewEnough(found.stdout.trim())) return pinned;
  }
  if (isNewEnough(process.version)) return process.execPath;
  throw new SetupError(
    "Landline runs on Node " +
      NODE_NEEDED.join(".") +
      " or newer; this is " +
      process.version +
      ", and no Node for " +
      process.platform +
      "-" +
      process.arch +
      " can be installed with it.\nInstall Node 24 from https://nodejs.org, and run the command again.",
  );
}

function isThisProcess(runtime) {
  return fs.realpathSync(runtime) === fs.realpathSync(process.execPath);
}

/** Runs the runtime with these arguments, replacing this process where that is possible. */
function becomeRuntime(runtime, args) {
  if (process.execve && process.platform !== "win32") {
    process.execve(runtime, [runtime].concat(args), process.env);
  }
  const child = childProcess.spawn(runtime, args, { stdio: "inherit" });
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends Ctrl-C to both processes.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  });
  child.on("error", function (error) {
    say("The runtime " + runtime + " could not be started (" + error.code + ").");
    process.exitCode = 1;
  });
  child.on("close", function (code, signal) {
    process.exitCode = signal ? 1 : code;
  });
}

module.exports = {
  SetupError: SetupError,
  becomeRuntime: becomeRuntime,
  ensureInstalled: ensureInstalled,
  findRuntime: findRuntime,
  isThisProcess: isThisProcess,
  root: root,
  say: say,
};
