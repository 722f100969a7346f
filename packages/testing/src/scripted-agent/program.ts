import { createServer } from "node:net";
import type { Readable, Writable } from "node:stream";
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

interface Listening {
  readonly port: number;
  readonly web: boolean;
  readonly token: string | undefined;
}

async function serveNetwork(
  scenario: Scenario,
  sessions: SessionStore,
  { port, web, token }: Listening,
): Promise<void> {
  const connections = new Set<Playing>();
  const end = new ProcessEnd(scenario, () => connections);
  const play = (input: Readable, output: Writable) => {
    const { host } = end;
    const playing = playScenario(scenario, { input, output, host, sessions });
    connections.add(playing);
    input.once("close", () => {
      playing.stop();
      connections.delete(playing);
    });
    // An error on one connection ends only that connection.
    playing.ended.catch(() => output.destroy());
  };
  const server = web
    ? (await import("./serve-web.ts")).webServer(play, token)
    : createServer((socket) => play(socket, socket));
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
  const {
    help,
    scenario: path,
    port,
    state,
    login,
    ...network
  } = readArguments(process.argv.slice(2));
  if (help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const scenario = readScenario(path);
  const sessions = new SessionStore(scenario.session?.ids, state ?? scenario.state);
  if (login) process.exit(await logIn(scenario, sessions));
  if (port === undefined) serveStdio(scenario, sessions);
  else await serveNetwork(scenario, sessions, { port, ...network });
} catch (error) {
  fail(error);
}
