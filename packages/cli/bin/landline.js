#!/usr/bin/env node
"use strict";
// Old JavaScript, because it may be started by an old Node: it finds the pinned one, and goes on there.

const setup = require("../../../scripts/setup.cjs");

const start = __dirname + "/../src/start.ts";

try {
  const args = ["--conditions=@landline/source", start].concat(process.argv.slice(2));
  setup.becomeRuntime(setup.findRuntime(), args);
} catch (error) {
  if (!(error instanceof setup.SetupError)) throw error;
  setup.say(error.message);
  process.exitCode = 1;
}
