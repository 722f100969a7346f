import { parseArgs } from "node:util";

export const usage = `Usage: scripted-agent --scenario FILE [--stdio | --port N [--web [--token TOKEN]]] [--state DIR] [--login]

Plays a scenario as an agent that speaks ACP.
  --scenario FILE  what it says and does (docs/scenarios.md)
  --stdio          on stdin and stdout; this is the default
  --port N         on 127.0.0.1, any number of connections; 0 picks a free port.
                   {"port":N} is printed when it listens.
  --web            on that port, Streamable HTTP and WebSocket in place of TCP
  --token TOKEN    with --web: what the header Authorization must have
  --state DIR      keeps sessions in DIR, so that the next start can load them
  --login          signs in in this terminal, as the scenario's \`login\` says, and ends
`;

export interface Arguments {
  readonly help: boolean;
  readonly scenario: string;
  /** Undefined for stdio. */
  readonly port: number | undefined;
  readonly web: boolean;
  readonly token: string | undefined;
  readonly state: string | undefined;
  readonly login: boolean;
}

/** Wrong arguments: printed with the usage. */
export class UsageError extends Error {}

export function readArguments(args: readonly string[]): Arguments {
  const { scenario, stdio = false, port: typedPort, state, ...flags } = parsed(args);
  const { help = false, login = false, web = false, token } = flags;
  const rest = { help, web, token, state, login };
  if (help) return { ...rest, scenario: "", port: undefined };
  if (scenario === undefined) throw new UsageError("--scenario FILE is missing");
  if (stdio && typedPort !== undefined) {
    throw new UsageError("--stdio and --port exclude each other");
  }
  const port = typedPort === undefined ? undefined : Number(typedPort);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new UsageError("--port takes a number from 0 to 65535");
  }
  if (port === undefined && (web || token !== undefined)) {
    throw new UsageError("--web and --token need --port");
  }
  return { ...rest, scenario, port };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        scenario: { type: "string" },
        stdio: { type: "boolean" },
        port: { type: "string" },
        web: { type: "boolean" },
        token: { type: "string" },
        state: { type: "string" },
        login: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
