/**
 * Runs one tool file of a project, in a process of its own. Plain JavaScript, because Node strips types
 * from files of packages nowhere.
 *
 *   node tool-runner.js --describe FILE    what the tool is
 *   node tool-runner.js --run FILE         one call; a line of JSON { input, cwd } on stdin
 *
 * The answer is one JSON object on file descriptor 3: { answer } or { error }. Its input is held open as
 * long as somebody wants the answer: when it closes, this process ends.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [mode, file] = process.argv.slice(2);

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

try {
  const call = await readLine();
  const tool = await load(file);
  reply({ answer: mode === "--describe" ? describe(tool) : await run(tool, JSON.parse(call)) });
} catch (error) {
  reply({ error: error instanceof Error ? error.message : String(error) });
}
process.exit(0);

function reply(message) {
  const bytes = Buffer.from(JSON.stringify(message));
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(3, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function readLine() {
  return new Promise((resolve) => {
    let text = "";
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (piece) => {
      if (text.includes("\n")) return;
      text += piece;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    process.stdin.on("end", () => process.exit(1));
  });
}

async function load(path) {
  const module = await import(pathToFileURL(path).href);
  const tool = module.default ?? module;
  if (typeof tool.description !== "string" || tool.description.trim() === "") {
    throw new Error("it must export `description`, a text that tells a model what the tool does.");
  }
  if (typeof tool.run !== "function") {
    throw new Error("it must export `run(input, { cwd, signal })`.");
  }
  return tool;
}

function describe(tool) {
  return { description: tool.description, input: jsonSchema(tool.input) };
}

/** A JSON schema as it is, or what a schema library (zod and others) makes of its own. */
function jsonSchema(input) {
  if (input === undefined) return { type: "object", properties: {} };
  const standard = input?.["~standard"];
  if (standard === undefined) {
    if (typeof input !== "object" || input === null || input.type !== "object") {
      throw new Error('`input` must be a zod object or a JSON schema with `type: "object"`.');
    }
    return input;
  }
  if (standard.jsonSchema === undefined) {
    throw new Error(
      "`input` is of a schema library that makes no JSON schema. Write a JSON schema, or use zod 4.2 or newer.",
    );
  }
  return standard.jsonSchema.input({ target: "draft-2020-12" });
}

async function run(tool, { input, cwd }) {
  const checked = await check(tool.input, input);
  const result = await tool.run(checked, { cwd, signal: stop.signal });
  if (typeof result === "string") return { output: result };
  if (result !== null && typeof result === "object" && typeof result.output === "string") {
    const title = typeof result.title === "string" ? { title: result.title } : {};
    return { output: result.output, ...title };
  }
  return { output: result === undefined ? "Done." : JSON.stringify(result, null, 2) };
}

async function check(schema, input) {
  const standard = schema?.["~standard"];
  if (standard === undefined) return input;
  const result = await standard.validate(input);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((part) => String(part?.key ?? part)).join(".");
    return path === "" ? issue.message : `${path}: ${issue.message}`;
  });
  throw new Error(`the input does not fit: ${issues.join("; ")}`);
}
