import { parseArgs } from "node:util";
import { InvalidScript, readScriptFile } from "./script-file.ts";
import { startModelServer } from "./server.ts";

const usage =
  "Usage: main.ts --script FILE [--port N]   (docs/model-server.md has the form of FILE)";

/**
 * The model server as a program. It prints one line of JSON when it listens, and ends on SIGTERM, SIGINT or the end of
 * its stdin, so that it never outlives its parent.
 */
async function main(): Promise<void> {
  const { script, port } = readArguments();
  const { replies, models } = readScriptFile(script);
  const server = await startModelServer({ script: replies, port, ...(models && { models }) });
  const stop = () => {
    process.stdin.destroy();
    void server.close();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop);
  process.stdin.once("close", stop).resume();
  process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port })}\n`);
}

function readArguments(): { readonly script: string; readonly port: number } {
  const { values } = parseArgs({
    options: { script: { type: "string" }, port: { type: "string" } },
  });
  const port = Number(values.port ?? "0");
  if (values.script === undefined) throw new InvalidScript("--script FILE is missing.");
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidScript(`--port ${values.port} is not a port: use a number from 0 to 65535.`);
  return { script: values.script, port };
}

try {
  await main();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${reason}\n${usage}\n`);
  process.exitCode = 2;
}
