"use strict";
// Implements `npm start`, `npm test` and the other scripts: runs the set-up, then the pinned Node by its absolute path,
// because /bin/sh caches the path of `node` within one npm script.

const childProcess = require("child_process");
const fs = require("fs");
const path = require("path");
const builds = require("./bundle.cjs");
const chromium = require("./chromium.cjs");
const setup = require("./setup.cjs");
const testPrograms = require("./test-programs.cjs");

const parent = process.ppid;
const command = process.argv[2];
const given = process.argv.slice(3);
const NO_BROWSER = "--no-browser";
// Other commands receive the flag unchanged and reject it.
const hasBrowser = command !== "test" || given.indexOf(NO_BROWSER) === -1;
const rest = given.filter(function (word) {
  return hasBrowser || word !== NO_BROWSER;
});
const SOURCE = "--conditions=@landline/source";

const check = [
  { name: "types", tool: ["typescript", "tsc"], args: ["--project", "."] },
  {
    name: "types of the pure package",
    tool: ["typescript", "tsc"],
    args: ["--project", "packages/protocol/tsconfig.pure.json"],
  },
  {
    name: "types of the client",
    tool: ["typescript", "tsc"],
    args: ["--project", "packages/client"],
  },
  {
    name: "types of the page",
    tool: ["typescript", "tsc"],
    args: ["--project", "packages/web"],
  },
  { name: "lint", tool: ["oxlint", "oxlint"], args: ["--deny-warnings"] },
  { name: "format", tool: ["oxfmt", "oxfmt"], args: ["--check"] },
  { name: "unused code", tool: ["knip", "knip"], args: [] },
  {
    name: "code that only tests run",
    tool: ["knip", "knip"],
    args: ["--production", "--include", "files,exports,types,duplicates"],
  },
];
const test = {
  name: "tests",
  tool: ["vitest", "vitest"],
  args: ["run"].concat(hasBrowser ? [] : ["--exclude", "**/*.browser.test.ts"], rest),
  loud: true,
};

const build = {
  name: "build",
  args: [SOURCE, "scripts/build.ts"],
  // Slow steps show their progress.
  shown: true,
  isDone: function () {
    const isBundled = builds.bundle.useFresh();
    return builds.page.useFresh() && isBundled;
  },
};

/** Checked first, before slow steps run. */
const browser = { name: "browser", run: chromium.ensureChromium };
const programs = { name: "programs", run: testPrograms.ensureAll };
const noBrowser = {
  name: "browser",
  run: function (done) {
    setup.say("Skipping the browser tests (" + NO_BROWSER + ").");
    done(null);
  },
};

/** A third-party client, which tests run. Without the npm registry, they are skipped. */
const acpx = {
  name: "acpx",
  args: [SOURCE, "packages/gateway/test/real-agents/install.ts", "acpx"],
  isOptional: true,
};

const namesAgents = rest.length > 0 && rest[0].charAt(0) !== "-";
const agents = namesAgents ? rest : ["goose"].concat(rest);

const commands = {
  start: [
    build,
    {
      name: "start",
      args: function () {
        const script = path.join(builds.folders()[0], "landline.js");
        return builds.serveFlags.concat([script, "serve", "--next-port"], rest);
      },
      loud: true,
    },
  ],
  build: [build],
  dev: [
    {
      name: "dev",
      args: [SOURCE, "scripts/dev.ts"].concat(rest),
      loud: true,
      // Ends together with this process, however it ends.
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    },
  ],
  // With arguments, only the named tests run. Tests of the command line and the page use the bundle.
  test: (hasBrowser ? [] : [noBrowser]).concat(
    rest.length > 0
      ? [test]
      : (hasBrowser ? [browser] : []).concat([programs], check, [build, test]),
  ),
  // Tests that take too long for `npm test`.
  "test:long": [
    browser,
    programs,
    acpx,
    build,
    {
      name: "long tests",
      tool: ["vitest", "vitest"],
      args: ["run", "--config", "vitest.long.config.ts"].concat(rest),
      loud: true,
    },
  ],
  // The property tests of `npm test`, each with a new seed.
  "test:random": [
    browser,
    programs,
    build,
    {
      name: "property tests",
      tool: ["vitest", "vitest"],
      args: function () {
        return ["run"].concat(propertyTests(), rest);
      },
      env: { PROPERTY_SEED: "random" },
      loud: true,
    },
  ],
  check: check,
  // Installs real agents first: goose, or the named ones.
  "test:agents": [
    {
      name: "agents",
      args: [SOURCE, "packages/gateway/test/real-agents/install.ts"].concat(agents),
      loud: true,
    },
    {
      name: "tests with agents",
      tool: ["vitest", "vitest"],
      args: ["run", "--config", "vitest.agents.config.ts"].concat(agents),
      loud: true,
    },
  ],
  bench: [build, { name: "bench", args: [SOURCE, "bench/main.ts"].concat(rest), loud: true }],
  screenshots: [
    browser,
    build,
    { name: "screenshots", args: [SOURCE, "scripts/screenshots.ts"].concat(rest), loud: true },
  ],
  format: [{ name: "format", tool: ["oxfmt", "oxfmt"], args: rest, loud: true }],
};

/** The test files of `npm test` that use fast-check. */
function propertyTests() {
  const listed = childProcess.spawnSync("git", ["grep", "-l", "fast-check", "--", "packages"], {
    cwd: setup.root,
    encoding: "utf8",
  });
  return listed.stdout.split("\n").filter(function (file) {
    return /\.test\.tsx?$/.test(file) && file.indexOf(".long.test.") === -1;
  });
}

/** The script of a tool's command, so that it runs on the pinned Node. */
function scriptOf(tool) {
  const folder = path.join(setup.root, "node_modules", tool[0]);
  const bin = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")).bin;
  return path.join(folder, typeof bin === "string" ? bin : bin[tool[1]]);
}

function runStep(runtime, step, done) {
  const startedAt = Date.now();
  const own = typeof step.args === "function" ? step.args() : step.args;
  const args = step.tool ? [scriptOf(step.tool)].concat(own) : own;
  const env = Object.assign({}, process.env, step.env);
  env.PATH = path.dirname(runtime) + path.delimiter + (process.env.PATH || "");
  const child = childProcess.spawn(runtime, args, {
    cwd: setup.root,
    env: env,
    stdio:
      step.stdio || (step.loud ? "inherit" : ["ignore", "pipe", step.shown ? "inherit" : "pipe"]),
  });
  let output = "";
  [child.stdout, child.stderr].forEach(function (stream) {
    if (!stream) return;
    stream.on("data", function (chunk) {
      output += chunk;
    });
  });
  const parentWatch = whenParentGone(function () {
    child.kill("SIGTERM");
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const pass = {};
  signals.forEach(function (signal) {
    pass[signal] = function () {
      child.kill(signal);
    };
    process.on(signal, pass[signal]);
  });
  child.on("close", function (code, signal) {
    clearInterval(parentWatch);
    signals.forEach(function (name) {
      process.removeListener(name, pass[name]);
    });
    const ok = code === 0;
    if (!step.loud) {
      setup.say(
        (ok ? "✓ " : "✗ ") +
          step.name +
          " (" +
          ((Date.now() - startedAt) / 1000).toFixed(1) +
          " s)",
      );
      if (!ok && output) setup.say(output);
    }
    if (!ok && step.isOptional) setup.say("The tests that need " + step.name + " are skipped.");
    done(step.isOptional ? 0 : signal ? 128 : code);
  });
}

/**
 * npm sends signals to a shell, which exits without forwarding them. So under npm, the end of the parent process counts
 * as a signal.
 */
function whenParentGone(callback) {
  if (!process.env.npm_lifecycle_event || process.platform === "win32") return null;
  const timer = setInterval(function () {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 200);
  return timer;
}

/** All checks run, so that one run reports all errors. Steps after a failed check do not run. */
function runSteps(runtime, steps, worst) {
  const step = steps[0];
  if (!step || (step.loud && worst !== 0)) {
    process.exitCode = worst;
    return;
  }
  const goOn = function (code) {
    runSteps(runtime, steps.slice(1), worst || code);
  };
  if (step.run) {
    step.run(function (error) {
      if (error) fail(error);
      else goOn(0);
    });
  } else if (step.isDone && step.isDone()) goOn(0);
  else runStep(runtime, step, goOn);
}

function fail(error) {
  if (!(error instanceof setup.SetupError)) throw error;
  setup.say("\n" + error.message);
  process.exitCode = 1;
}

if (!Object.prototype.hasOwnProperty.call(commands, command)) {
  setup.say(
    "Usage: npm start | npm test | npm run dev | npm run build | npm run test:long | npm run test:agents | npm run check | npm run bench | npm run screenshots | npm run format",
  );
  process.exitCode = 2;
} else {
  setup.ensureInstalled(function (error) {
    if (error) return fail(error);
    try {
      runSteps(setup.findRuntime(), commands[command], 0);
    } catch (problem) {
      fail(problem);
    }
    return undefined;
  });
}
