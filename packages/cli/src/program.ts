import { Command, InvalidArgumentError, Option } from "commander";
import packageFacts from "../package.json" with { type: "json" };
import type { CommandContext } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

export interface ProgramContext extends CommandContext {
  /** Called with the exit code of the command. */
  end(code: number): void;
}

type Handler = (...given: never[]) => Promise<number>;

/** All commands with their options. The code of a command is loaded only when it runs. */
export function createProgram(context: ProgramContext): Command {
  const program = new Command("landline")
    .description("A line to your coding agents that does not drop. Without a command: serve.")
    .version(packageFacts.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride();
  addServe(program, context);
  addRun(program, context);
  addSessionCommands(program, context);
  addAcp(program, context);
  addToken(program, context);
  addMachineCommands(program, context);
  program.addHelpText("after", helpAfter);
  return program;
}

const helpAfter = `
Exit codes: ${Object.entries(exitCode)
  .map(([name, code]) => `${code} ${name}`)
  .join(", ")}. Each command has its own help: landline run --help.`;

function addServe(program: Command, context: ProgramContext): void {
  place(program.command("serve"))
    .description("start the gateway and keep it running")
    .option("--port <port>", "port to listen on; 0 picks a free one (3001)")
    .option("--next-port", "use the next free port if the port is in use")
    .option("--host <address>", "address to listen on (127.0.0.1)")
    .option("--cert <file>", "serve HTTPS with this certificate (PEM, with its chain)")
    .option("--key <file>", "the private key of the certificate (PEM)")
    .option("--insecure-lan", "allow an address other than loopback, without encryption")
    .option("--agent <name=command>", 'add an agent: "name=command args…" (repeatable)', collect)
    .addOption(new Option("--limits <profile>", "profile of limits").choices(["default", "spec"]))
    .addOption(
      new Option("--durability <kind>", "what an event survives before clients see it").choices([
        "process",
        "disk",
      ]),
    )
    .option("--base-path <path>", "path prefix, behind a proxy")
    .option("--public-url <url>", "address at which users reach it through a proxy")
    .option(
      "--origin <origin>",
      "a web origin whose pages may use the gateway (repeatable)",
      collect,
    )
    .option("--trace", "record the messages between the gateway and the agents")
    .option("--acp-v2", "let ACP clients use version 2 of ACP, which is a draft")
    .addOption(
      new Option("--log-level <level>", "level of the log on stderr").choices([
        "silent",
        "error",
        "warn",
        "info",
        "debug",
      ]),
    )
    .option("--json", "print one line of JSON when it listens")
    .action(lazily(context, async () => (await import("./commands/serve.ts")).serve));
}

function addRun(program: Command, context: ProgramContext): void {
  place(program.command("run"))
    .description("send one prompt, print the answer, and exit at the end of the turn")
    .argument("[prompt]", "the prompt; read from stdin if it is missing or -")
    .option("--agent <id>", 'the agent, by its id, or "name=command args…" for one of your own')
    .option("--cwd <folder>", "the folder to work in (this one)")
    .option("--session <id>", "continue this session; last is the latest one")
    .option(
      "--allow <rule>",
      "allow by rule: read, edit:src/**, execute:npm test (repeatable)",
      collect,
    )
    .option("--yes", "allow every permission request, except to leave the sandbox")
    .option("--quiet", "print only the agent's messages")
    .option("--json", "print the events of the session, one per line")
    .action(lazily(context, async () => (await import("./commands/run.ts")).run));
}

function addSessionCommands(program: Command, context: ProgramContext): void {
  place(program.command("sessions"))
    .description("list sessions, latest first")
    .option("--cwd <folder>", "only those of this folder")
    .option(
      "--agent <id>",
      "the sessions that this agent stores itself, including those opened elsewhere",
    )
    .option("--limit <count>", "how many at most (50)", wholeNumber)
    .option("--json", "print one session per line")
    .action(lazily(context, async () => (await import("./commands/sessions.ts")).sessions));
  place(program.command("continue"))
    .description("continue a session that an agent stores itself, and print its id here")
    .argument("<agent>", "the id of the agent")
    .argument("<session>", "the agent's own id of the session: landline sessions --agent ID")
    .option("--json", "print the session as JSON")
    .action(lazily(context, async () => (await import("./commands/continue.ts")).continueSession));
  place(program.command("attach"))
    .description("show a session, follow it, and send what you type")
    .argument("<session>", "the id of the session; last is the latest one")
    .option("--after <number>", "only events after this sequence number", wholeNumber)
    .option("--no-follow", "exit after the existing events")
    .option("--quiet", "print only the agent's messages")
    .option("--json", "print the events, one per line")
    .action(lazily(context, async () => (await import("./commands/attach.ts")).attach));
  place(program.command("export"))
    .description("export a session as one document")
    .argument("<session>", "the id of the session; last is the latest one")
    .addOption(
      new Option("--format <format>", "how").choices(["json", "md", "html"]).default("json"),
    )
    .option("--output <file>", "write to this file, which must not exist yet")
    .action(lazily(context, async () => (await import("./commands/export.ts")).exportSession));
}

function addAcp(program: Command, context: ProgramContext): void {
  place(program.command("acp"))
    .description("speak ACP on stdin and stdout, for an editor: any agent of the gateway")
    .option("--agent <id>", "the agent of new sessions (the default agent)")
    .option(
      "--attach <session>",
      "open this session in the editor: its id, the beginning of it, or last",
    )
    .option(
      "--gateway <url>",
      "another gateway: its URL with the token (default: the one on this machine)",
    )
    .option("--listen <host:port>", "serve ACP clients over TCP, in place of stdin and stdout")
    .option("--insecure-lan", "with --listen: allow an address other than loopback")
    .addOption(
      new Option("--print-config <editor>", "print the settings for an editor, and exit").choices([
        "zed",
        "jetbrains",
        "codecompanion",
        "avante",
        "emacs",
      ]),
    )
    .option(
      "--sign-in <method>",
      "sign in to the agent in this terminal; editors add this option themselves",
    )
    .action(lazily(context, async () => (await import("./commands/acp.ts")).acp));
}

function addToken(program: Command, context: ProgramContext): void {
  const token = program.command("token").description("manage access tokens");
  place(token.command("new"))
    .description("create a token; it is shown only once")
    .argument("[name]", "what it is for", "token")
    .addOption(
      new Option("--role <role>", "control, or watch (read only)")
        .choices(["admin", "control", "watch"])
        .default("control"),
    )
    .option("--session <id>", "limit it to one session, as watch or control")
    .option("--json", "print it as JSON")
    .action(lazily(context, async () => (await import("./commands/token.ts")).newToken));
  place(token.command("list"))
    .description("list the tokens")
    .option("--json", "print one token per line")
    .action(lazily(context, async () => (await import("./commands/token.ts")).listTokens));
  place(token.command("revoke"))
    .description("revoke a token and close its connections")
    .argument("<id>", "as listed")
    .action(lazily(context, async () => (await import("./commands/token.ts")).revokeToken));
  place(token.command("url"))
    .description("print the address of the running gateway with the token in it")
    .option("--json", "print it as JSON")
    .action(lazily(context, async () => (await import("./commands/token.ts")).tokenUrl));
}

function addMachineCommands(program: Command, context: ProgramContext): void {
  addAgent(program);
  place(program.command("agents"))
    .description("list the agents, and where they were found")
    .option("--json", "print one agent per line")
    .action(lazily(context, async () => (await import("./commands/agents.ts")).agents));
  place(program.command("doctor"))
    .description("check the data folder, the logs and the database")
    .option("--rebuild", "rebuild the database from the logs")
    .option("--json", "print one finding per line")
    .action(lazily(context, async () => (await import("./commands/doctor.ts")).doctor));
  const config = program.command("config").description("the config file");
  config
    .command("schema")
    .description("print its JSON schema")
    .action(lazily(context, async () => (await import("./commands/config.ts")).printSchema));
  place(config.command("show"))
    .description("print the effective settings")
    .action(lazily(context, async () => (await import("./commands/config.ts")).showConfig));
}

/** Only for the help: start.ts runs this command before this module is loaded. */
function addAgent(program: Command): void {
  program
    .command("agent")
    .description("run the built-in agent; with login, logout, models and doctor")
    .argument("[words...]", "its own commands and options: landline agent --help");
}

function place(command: Command): Command {
  return command.option("--data <folder>", "data folder").option("--config <file>", "config file");
}

/** Commander passes the arguments, the options and the command. Handlers take the context first. */
function lazily(context: ProgramContext, load: () => Promise<Handler>) {
  return async (...given: unknown[]): Promise<void> => {
    const handler = (await load()) as (...all: unknown[]) => Promise<number>;
    context.end(await handler(context, ...given.slice(0, -1)));
  };
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
