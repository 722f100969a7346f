import { Command, InvalidArgumentError, Option } from "commander";
import packageFacts from "../package.json" with { type: "json" };
import type { CommandContext } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

export interface ProgramContext extends CommandContext {
  /** Told how the command ended. */
  end(code: number): void;
}

type Handler = (...given: never[]) => Promise<number>;

/** All commands with their options. What a command does is loaded when it is the one that was typed. */
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
    .option("--next-port", "take the next free port when that one is taken")
    .option("--host <address>", "address to listen on (127.0.0.1)")
    .option("--insecure-lan", "allow an address past loopback, without encryption")
    .option("--agent <name=command>", 'add an agent: "name=command args…" (repeatable)', collect)
    .addOption(new Option("--limits <profile>", "limits to keep").choices(["default", "spec"]))
    .addOption(
      new Option("--durability <kind>", "what an event survives before it is shown").choices([
        "process",
        "disk",
      ]),
    )
    .option("--base-path <path>", "path below which everything is served, behind a proxy")
    .option("--public-url <url>", "where people reach it through a proxy")
    .option("--trace", "write down what agents are sent and send, beside the log of each session")
    .addOption(
      new Option("--log-level <level>", "what the gateway says on stderr").choices([
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
    .description("send one prompt, print what happens, and end with the turn")
    .argument("[prompt]", "what to say; read from stdin when it is left out or -")
    .option("--agent <id>", 'the agent, by its id, or "name=command args…" for one of your own')
    .option("--cwd <folder>", "the folder to work in (this one)")
    .option("--session <id>", "go on with this session; last is the latest one")
    .option(
      "--allow <rule>",
      "allow by rule: read, edit:src/**, execute:npm test (repeatable)",
      collect,
    )
    .option(
      "--yes",
      "allow everything that the agent asks permission for; lets no command out of the sandbox",
    )
    .option("--quiet", "print only what the agent says")
    .option("--json", "print the events of the session, one a line")
    .action(lazily(context, async () => (await import("./commands/run.ts")).run));
}

function addSessionCommands(program: Command, context: ProgramContext): void {
  place(program.command("sessions"))
    .description("list the sessions, the latest first")
    .option("--cwd <folder>", "only those of this folder")
    .option("--limit <count>", "how many at most (50)", wholeNumber)
    .option("--json", "print one session a line")
    .action(lazily(context, async () => (await import("./commands/sessions.ts")).sessions));
  place(program.command("attach"))
    .description("show what happened in a session, follow it, and send what you type")
    .argument("<session>", "the id of the session; last is the latest one")
    .option("--after <number>", "only what came after this event", wholeNumber)
    .option("--no-follow", "end when everything up to now is shown")
    .option("--quiet", "print only what the agent says")
    .option("--json", "print the events, one a line")
    .action(lazily(context, async () => (await import("./commands/attach.ts")).attach));
  place(program.command("export"))
    .description("write a session out as one document")
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
      "--gateway <url>",
      "a gateway elsewhere: its link with the token (the one of this machine)",
    )
    .action(lazily(context, async () => (await import("./commands/acp.ts")).acp));
}

function addToken(program: Command, context: ProgramContext): void {
  const token = program.command("token").description("manage access tokens");
  place(token.command("new"))
    .description("make a token; it is shown this once")
    .argument("[name]", "what it is for", "token")
    .addOption(
      new Option("--role <role>", "control, or watch: sees and cannot act")
        .choices(["admin", "control", "watch"])
        .default("control"),
    )
    .option("--session <id>", "limit it to one session, as watch or control")
    .option("--json", "print it as JSON")
    .action(lazily(context, async () => (await import("./commands/token.ts")).newToken));
  place(token.command("list"))
    .description("list the tokens")
    .option("--json", "print one token a line")
    .action(lazily(context, async () => (await import("./commands/token.ts")).listTokens));
  place(token.command("revoke"))
    .description("end a token; what is connected with it is cut off")
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
    .option("--json", "print one agent a line")
    .action(lazily(context, async () => (await import("./commands/agents.ts")).agents));
  place(program.command("doctor"))
    .description("check the data folder, the logs and the database")
    .option("--rebuild", "make the database again from the logs")
    .option("--json", "print one finding a line")
    .action(lazily(context, async () => (await import("./commands/doctor.ts")).doctor));
  const config = program.command("config").description("the config file");
  config
    .command("schema")
    .description("print its JSON schema")
    .action(lazily(context, async () => (await import("./commands/config.ts")).printSchema));
  place(config.command("show"))
    .description("print what file, environment and defaults come to")
    .action(lazily(context, async () => (await import("./commands/config.ts")).showConfig));
}

/** For the help alone: start.ts takes it before this is loaded. */
function addAgent(program: Command): void {
  program
    .command("agent")
    .description("be a coding agent that speaks ACP; with login, logout, models and doctor")
    .argument("[words...]", "its own commands and options: landline agent --help");
}

function place(command: Command): Command {
  return command.option("--data <folder>", "data folder").option("--config <file>", "config file");
}

/** Commander calls with the arguments, the options and the command; handlers take the context first. */
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
