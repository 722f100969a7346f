/** `node main.ts NAME`: an MCP server over stdio, for tests. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createChangingServer } from "./changing-server.ts";
import { createLibraryServer } from "./library-server.ts";
import { createToolServer } from "./tool-server.ts";

const factories = {
  tools: createToolServer,
  library: createLibraryServer,
  changing: createChangingServer,
} as const;

const name = process.argv[2] ?? "";

if (name === "hanging") {
  // Reads all input, never responds, and ends only when it is killed.
  process.on("SIGTERM", () => {});
  process.stdin.resume();
  setInterval(() => {}, 60_000);
} else if (name === "broken") {
  process.stderr.write("The library libfoo is missing.\n");
  process.exitCode = 1;
} else if (name === "modern") {
  serveStdio(createToolServer, { legacy: "reject" });
} else if (name in factories) {
  process.stdout.write("a line that is not protocol\n");
  serveStdio(factories[name as keyof typeof factories]);
} else {
  process.stderr.write(`There is no server ${name}.\n`);
  process.exitCode = 2;
}
