import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { benchFile } from "../child-process.ts";
import { PeerMissing } from "./peer.ts";

/**
 * Installs a pinned npm package once, with the current Node, into a folder that git ignores. Returns the folder of its
 * modules.
 */
export async function installed(name: string, version: string): Promise<string> {
  const folder = benchFile(`../.cache/bench/${name.replaceAll(/[^a-z-]+/g, "_")}-${version}`);
  const done = path.join(folder, "installed");
  const modules = path.join(folder, "node_modules");
  if (existsSync(done)) return modules;
  process.stderr.write(`\r\x1b[KInstalling ${name} ${version} (once) …`);
  await fs.rm(folder, { recursive: true, force: true });
  await fs.mkdir(folder, { recursive: true });
  await fs.writeFile(path.join(folder, "package.json"), '{ "private": true }\n');
  const problem = await npmInstall(folder, `${name}@${version}`);
  if (problem !== null)
    throw new PeerMissing(`${name} ${version} could not be installed: ${problem.split("\n")[0]}`);
  await fs.writeFile(done, "");
  return modules;
}

/** The error, or null. */
function npmInstall(folder: string, what: string): Promise<string | null> {
  const script = process.env["npm_execpath"];
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", what];
  const isScript = script !== undefined && /\.c?js$/.test(script);
  const child = spawn(isScript ? process.execPath : "npm", isScript ? [script, ...args] : args, {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) =>
      resolve(code === 0 ? null : output.trim() || `npm ended with ${code}`),
    );
  });
}
