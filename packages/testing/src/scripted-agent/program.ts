import { createServer } from "node:net";
import { readArguments, usage, UsageError } from "./arguments.ts";
import { logIn } from "./login.ts";
import { playScenario, type Playing } from "./play-scenario.ts";
import { ProcessEnd } from "./process-end.ts";
import { readScenario } from "./read-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { SessionStore } from "./sessions.ts";

function serveStdio(scenario: Scenario, sessions: SessionStore): void {
  const end = new ProcessEnd(scenario, () => [playing]);
  const { host } = end;
  const playing = playScenario(scenario, {
    input: process.stdin,
    output: process.stdout,
    host,
    sessions,
  });
  end.watch(playing);
}

function serveTcp(scenario: Scenario, sessions: SessionStore, port: number): void {
  const connections = new Set<Playing>();
  const end = new ProcessEnd(scenario, () => connections);
  const server = createServer((socket) => {
    const { host } = end;
    const playing = playScenario(scenario, { input: socket, output: socket, host, sessions });
    connections.add(playing);
    socket.once("close", () => {
      playing.stop();
      connections.delete(playing);
    });
    // An error on one connection ends only that connection.
    playing.ended.catch(() => socket.destroy());
  });
  server.on("error", fail);
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") {
      process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
    }
  });
  end.watchParent();
}

function fail(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${usage}` : `${message}\n`);
  process.exit(2);
}

try {
  const { help, scenario: path, port, state, login } = readArguments(process.argv.slice(2));
  if (help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const scenario = readScenario(path);
  const sessions = new SessionStore(scenario.session?.ids, state ?? scenario.state);
  if (login) process.exit(await logIn(scenario, sessions));
  if (port === undefined) serveStdio(scenario, sessions);
  else serveTcp(scenario, sessions, port);
} catch (error) {
  fail(error);
}
