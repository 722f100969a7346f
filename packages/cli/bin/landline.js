#!/usr/bin/env node
"use strict";
// Old JavaScript, because it may be started by an old Node: it finds the pinned one, and goes on there: with
// the bundle when it was made of the sources as they are, and otherwise with the sources.

const bundle = require("../../../scripts/bundle.cjs");
const setup = require("../../../scripts/setup.cjs");

const source = ["--conditions=@landline/source", __dirname + "/../src/start.ts"];

try {
  const runtime = setup.findRuntime();
  const folder = bundle.findFresh();
  const script = folder && folder + "/landline.js";
  const words = process.argv.slice(2);
  const isServe = words.length === 0 || words[0] === "serve" || words[0].charAt(0) === "-";
  if (script && !isServe && setup.isThisProcess(runtime)) require(script);
  else {
    const flags = isServe ? bundle.serveFlags : [];
    setup.becomeRuntime(runtime, flags.concat(script ? [script] : source, words));
  }
} catch (error) {
  if (!(error instanceof setup.SetupError)) throw error;
  setup.say(error.message);
  process.exitCode = 1;
}
