import { parseArgs } from "node:util";
import { errorMessage } from "@landline/system/error-message";
import { guardOutput } from "./stdout-guard.ts";
import { UsageError } from "./usage-error.ts";

const USAGE = `Usage: landline agent [options]          speak ACP over standard input and output
       landline agent login [PROVIDER]   store a provider's key
       landline agent logout [PROVIDER]  forget stored keys
       landline agent models [--json]    list the models that can be used
       landline agent doctor [--json]    say what the agent finds here

Options:
  --stdio           standard input and output (the default)
  --port N          listen for TCP connections instead; 0 picks a free port
  --websocket       speak WebSocket on that port, and not NDJSON over TCP
  --host ADDRESS    where to listen (127.0.0.1)
  --no-token        let every program of this machine connect; on loopback only
  --model ID        provider/model, in place of the configured one
  --script FILE     play a recorded model (JSON lines)
  --limits PROFILE  spec: error codes of the specification's own table (default)
  -h, --help
`;

const options = {
  stdio: { type: "boolean" },
  port: { type: "string" },
  host: { type: "string" },
  websocket: { type: "boolean" },
  "no-token": { type: "boolean" },
  model: { type: "string" },
  script: { type: "string" },
  limits: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Runs `landline agent …` and resolves to the exit code. Never rejects. Loads commands on demand. */
export async function runAgent(words: readonly string[]): Promise<number> {
  guardOutput();
  try {
    return await run(read(words));
  } catch (error) {
    process.stderr.write(`${errorMessage(error)}\n`);
    return isUsage(error) ? 2 : 1;
  }
}

function read(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true });
}

async function run({ values, positionals }: ReturnType<typeof read>): Promise<number> {
  const { host = "127.0.0.1", json = false, model, script, websocket = false } = values;
  const [command = "serve", ...rest] = positionals;
  const agent = {
    environment: process.env,
    ...(model !== undefined && { model }),
    ...(script !== undefined && { script }),
  };
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { limits = "default" } = values;
  if (limits !== "default" && limits !== "spec")
    throw new UsageError("--limits is default or spec.");
  const messages = { seedErrorCodes: limits === "spec" };
  const needsPort = (["host", "websocket", "no-token"] as const).find(
    (name) => values[name] !== undefined,
  );
  if (needsPort !== undefined && values.port === undefined)
    throw new UsageError(`--${needsPort} says how to listen, and needs --port.`);
  switch (command) {
    case "serve": {
      if (values.port === undefined)
        return (await import("./serve-stdio.ts")).serveStdio(agent, messages);
      const { serveNetwork } = await import("./serve-network.ts");
      return serveNetwork(agent, messages, {
        host,
        port: portOf(values.port),
        transport: websocket ? "websocket" : "tcp",
        needsToken: values["no-token"] !== true,
      });
    }
    case "login":
    case "logout":
      return (await import("./login.ts"))[command](rest[0]);
    case "models":
      return (await import("./list-models.ts")).listModels(agent, json);
    case "doctor":
      return (await import("./doctor.ts")).doctor(agent, json);
    default:
      throw new UsageError(`There is no command ${command}.\n\n${USAGE}`);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/u.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port is a number from 0 to 65535, and ${text} is not.`);
}

function isUsage(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return error instanceof UsageError || code.startsWith("ERR_PARSE_ARGS");
}
