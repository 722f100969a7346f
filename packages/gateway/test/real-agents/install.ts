import { spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { realAgents } from "./all-agents.ts";
import { acpx } from "./acpx.ts";
import { folderOf, isInstalled, type Installable } from "./real-agent.ts";

/**
 * Installs the named agents, once each, into their own folders: the first step of `npm run test:agents`. Arguments from
 * the first option on are for the test runner.
 */
const known: readonly Installable[] = [...realAgents, acpx];
const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith("-"));
const asked = firstOption < 0 ? words : words.slice(0, firstOption);
const unknown = asked.find((word) => !known.some(({ name }) => name === word));

if (unknown === undefined) {
  for (const wanted of known) if (asked.includes(wanted.name)) await install(wanted);
} else {
  const names = known.map(({ name }) => name).join(", ");
  fail(`There is no agent "${unknown}" to test with; there are ${names}.`);
}

async function install(wanted: Installable): Promise<void> {
  const { name, version, npmPackage, platform } = wanted;
  const here = `${process.platform}-${process.arch}`;
  if (platform !== undefined && platform !== here)
    return fail(`${name} comes for ${platform} only, and this is ${here}.`);
  if (isInstalled(wanted) || npmPackage === undefined) return;
  const folder = folderOf(wanted);
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1_000)} s`;
  say(`Installing ${name} ${version} (once) …`);
  const ticker = setInterval(() => say(`  still installing ${name}, ${seconds()}`), 10_000);
  try {
    await fs.rm(folder, { recursive: true, force: true });
    await fs.mkdir(folder, { recursive: true });
    await fs.writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
    const { code, output } = await npmInstall(folder, `${npmPackage}@${version}`);
    if (code !== 0) return fail(explain(wanted, code, output));
    await fs.writeFile(path.join(folder, "installed"), "");
    say(`Installed ${name} in ${seconds()}.`);
  } finally {
    clearInterval(ticker);
  }
  return undefined;
}

/** With this Node: npm on an older one would install an older version of the agent. */
function npmInstall(
  folder: string,
  what: string,
): Promise<{ code: number | string; output: string }> {
  const script = process.env["npm_execpath"];
  const isScript = script !== undefined && /\.c?js$/.test(script);
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  const args = ["install", "--prefix", folder, ...quiet, "--fetch-retries=1", what];
  const child = isScript
    ? spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    : spawn("npm", args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: error.message, output }));
    child.on("close", (code, signal) => resolve({ code: code ?? String(signal), output }));
  });
}

function explain(
  { name, npmPackage = name, version }: Installable,
  code: number | string,
  output: string,
) {
  const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/.test(
    output,
  );
  const why = unreachable
    ? "The npm registry can't be reached. Check the network (or npm's `registry` and `proxy` settings)"
    : `npm could not install ${npmPackage}@${version} (it said ${code}). See above`;
  return `${output.trim()}\n\n${why}, and run the command again. Without ${name}, \`npm test\` still tests everything else.`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function fail(message: string): void {
  say(message);
  process.exitCode = 1;
}
