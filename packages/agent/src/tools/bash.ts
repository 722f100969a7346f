import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { withHosts } from "@landline/sandbox/host-pattern";
import { harmlessEnvironment, type Judge, openJudge } from "@landline/shell";
import { bashLimits } from "../limits.ts";
import { bashRequest } from "../permission/bash-request.ts";
import { PermissionRefused } from "../permission/rule.ts";
import {
  CommandProblem,
  type CommandOptions,
  type Confinement,
  type RunningCommand,
} from "../workspace/workspace.ts";
import { confinementFor, leavesSandbox } from "./bash-sandbox.ts";
import { cutCommandOutput } from "./command-output.ts";
import { OutputProgress } from "./output-progress.ts";
import { commandFiles } from "./command-files.ts";
import { externalDirectoryRequestsFor } from "./external-directories.ts";
import { allowedNetwork } from "./sandbox-network.ts";
import { textContent, ToolFailure, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

/** Maximum timeout that the model may set. */
const timeoutMsMax = 1_800_000;

const input = z.object({
  command: z
    .string()
    .refine((line) => line.trim() !== "", "There is no command.")
    .describe("The line for the shell"),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(timeoutMsMax)
    .optional()
    .describe(
      `Milliseconds until it is ended; default ${bashLimits.timeoutMs}, at most ${timeoutMsMax}`,
    ),
  workdir: z
    .string()
    .optional()
    .describe("The folder to run it in; the working directory by default. Use this instead of cd"),
  network: z
    .boolean()
    .optional()
    .describe("True when it needs the network and does not say so itself, or serves others"),
  description: z
    .string()
    .optional()
    .describe("What it does, in five to ten words, for the person who watches"),
});

type BashInput = z.infer<typeof input>;

const description = `Runs a line in a shell (bash where there is one), and returns what it wrote, both outputs in order, and how it ended. Use it for programs: builds, tests, version control, package managers. For files there are better tools, which people can follow more easily: read, edit, write, glob and grep instead of cat, sed, echo >, find and grep.

- Every call is a new shell: folders and variables of the one before are gone. Name the folder in workdir.
- It has no keyboard. Use flags that answer questions (--yes), and no programs that wait for keys, such as editors and pagers.
- Quote paths with spaces. Join commands that depend on each other by &&, and make several calls for those that do not: they run side by side.
- Commands that only read files of the project run at once (ls, cat, rg, git status, git diff …). People are asked about all others that they have not allowed. Plain commands are easily allowed for good; variables, substitutions and unknown options are asked about each time. So write plain commands where you can.
- Commands may run in a sandbox: they change the project and temporary files in /tmp, which only commands see, and nothing else. Set network for a server that the person opens in a browser and for programs that download something in a way that the line does not show; the person may be asked.
- It is ended after the timeout, with what it started. A server that should go on running is started with & and its output sent to a file; it ends with the session.
- Long output is cut in the middle, and you are told where all of it is.
- Commit, push, publish and delete only when the person wants it.`;

/** Runs shell lines. `outputs` is the folder for complete outputs. */
export function createBashTool(outputs: string, open = openJudge): Tool<BashInput> {
  return {
    name: "bash",
    description,
    input,
    kind: "execute",
    permission: "bash",
    view: ({ command = "", workdir, description: purpose = "" }, workspace) => ({
      title: command === "" ? "Run a command" : command,
      locations: workdir === undefined ? [] : [{ path: workspace.resolve(workdir) }],
      content: textContent(purpose),
    }),
    async run(given, context) {
      const workdir = context.workspace.resolve(given.workdir ?? ".");
      const permitted = await askFor(given, workdir, context, { outputs, judge: await open() });
      const { confinement } = permitted;
      if (confinement === undefined)
        return (await runLine(given, permitted, context, outputs)).result;
      const run = { given, context, outputs };
      const confined = { ...permitted, confinement };
      if (permitted.isUnasked !== true) return runConfined(run, confined);
      const { askAboutCreated, watchPlaces } = await import("./created-places.ts");
      using watch = await watchPlaces(context);
      const ended = await runConfined(run, confined).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      // Asked about after a failure too.
      const removed = await askAboutCreated(watch, context);
      if ("error" in ended) throw ended.error;
      if (removed === null) return ended.result;
      // The request had another title.
      const result = { title: given.command, ...ended.result };
      if (removed.length === 0) return result;
      return withNote(
        result,
        `(Removed ${removed.join(", ")}: the person rejected what the command created.)`,
      );
    },
  };
}

type RunOptions = Pick<CommandOptions, "cwd" | "env" | "confinement">;

/** How a permitted line runs. `isUnasked`: in a sandbox, without asking anyone. */
type PermittedRun = RunOptions & { isUnasked?: boolean };

/**
 * Resolves when the line may run, with how. A read-only line runs with an environment that executes no code
 * of the repository.
 */
async function askFor(
  { command: line, network = false }: BashInput,
  workdir: string,
  context: ToolContext,
  { outputs, judge }: { outputs: string; judge: Judge },
): Promise<PermittedRun> {
  const { roots, sandbox } = context.workspace;
  const path = process.env["PATH"] ?? "";
  const verdict = await judge.judge(line, { cwd: workdir, roots, readable: [outputs], path });
  const isFree = verdict.reasons.length === 0;
  const problem = await sandbox.problem();
  const hasSandbox = problem === null;
  const openings = context.openings();
  const inside = withHosts(sandbox.network(), openings.hosts);
  const wantsNetwork = network && inside !== "on";
  const isConfined = hasSandbox && !wantsNetwork && !leavesSandbox(verdict, inside);
  const wants = hasSandbox && wantsNetwork ? ["it asks for the network"] : [];
  if (!hasSandbox && context.level === "sandboxed") wants.push(`there is no sandbox (${problem})`);
  const request = bashRequest(line, verdict, judge, { isConfined, wants });
  const files = await commandFiles(verdict, context.workspace);
  await context.ask(...(await externalDirectoryRequestsFor(line, verdict)), { ...request, files });
  const runOptions = { cwd: workdir, env: isFree ? harmlessEnvironment : {} };
  if (!hasSandbox || context.level === "allow-all") return runOptions;
  // A line that nobody was asked about has only the network access that is open to all commands.
  const isUnasked = isFree || (context.level === "sandboxed" && isConfined);
  const allowed = network ? "on" : allowedNetwork(inside, verdict);
  const grant = { network: isUnasked ? inside : allowed, isUnasked, outputs, openings };
  const confinement = await confinementFor(verdict, grant);
  return confinement === null ? runOptions : { ...runOptions, confinement, isUnasked };
}

/** How often one line runs again with more access. */
const againMax = 3;

interface Run {
  given: BashInput;
  context: ToolContext;
  outputs: string;
}

/** Runs a line in its sandbox, and again when a user or a rule grants what the sandbox denied. */
async function runConfined(
  { given, context, outputs }: Run,
  permitted: RunOptions & { confinement: Confinement },
): Promise<ToolResult> {
  const opened = new Set<string>();
  let { confinement } = permitted;
  let ran = await runLine(given, permitted, context, outputs);
  for (let run = 0; run < againMax && ran.result.metadata?.["exit"] !== 0; run += 1) {
    const { findDenials, leaveSandboxQuestion, withOpened } = await import("./sandbox-denials.ts");
    const { result, deniedHosts, permits } = ran;
    const { output } = result;
    const runOptions = { workdir: permitted.cwd, confinement, opened };
    const denied = await findDenials({ output, deniedHosts, permits, ...runOptions, context });
    if (denied.length === 0) return result;
    const things = denied.map(({ opening }) => opening.what);
    const kept = `The sandbox kept it from ${things.join(" and ")}.`;
    const { requests, options } = leaveSandboxQuestion(given.command, denied);
    const answer = await context.choose(requests, options).catch(refusalOf);
    // The request had another title.
    const { command: title } = given;
    if (typeof answer === "object" && answer !== null)
      return withNote({ ...result, title }, `(${kept} ${answer.words} It was not run again.)`);
    if (answer === "outside") {
      const { cwd, env = {} } = permitted;
      const again = await runLine(given, { cwd, env }, context, outputs);
      const words = "The person let it run outside the sandbox, once";
      const note = `(${kept} ${words}: it was run again from the beginning.)`;
      return withNote({ ...again.result, title }, note);
    }
    confinement = withOpened(confinement, denied);
    for (const thing of things) opened.add(thing);
    ran = await runLine(given, { ...permitted, confinement }, context, outputs);
    const openings = denied.map(({ opening }) => opening.addsWhat).join(" and ");
    const note = `(${kept} ${whoAllowed(answer)} ${openings}: it was run again from the beginning, in the sandbox.)`;
    ran = { ...ran, result: withNote({ ...ran.result, title }, note) };
  }
  const hosts = ran.deniedHosts.join(", ");
  if (hosts === "") return ran.result;
  return withNote(ran.result, `(The sandbox kept it from connecting to ${hosts}.)`);
}

function whoAllowed(option: string | null): string {
  switch (option) {
    case null:
      return "A rule or an earlier answer allows";
    case "open":
      return "The person allowed, for this session,";
    default:
      return "The person allowed, once,";
  }
}

function refusalOf(error: unknown): { words: string } {
  if (!(error instanceof PermissionRefused)) throw error;
  return { words: error.by === "rule" ? error.message : "The person rejected that." };
}

function withNote(result: ToolResult, note: string): ToolResult {
  return { ...result, output: `${result.output}\n\n${note}` };
}

/** The result of a line, and what its sandbox denied. */
interface Ran extends Pick<RunningCommand, "permits"> {
  result: ToolResult;
  deniedHosts: readonly string[];
}

async function runLine(
  given: BashInput,
  permitted: RunOptions,
  context: ToolContext,
  outputs: string,
): Promise<Ran> {
  const timeoutMs = given.timeout ?? bashLimits.timeoutMs;
  const startedAt = performance.now();
  using progress = new OutputProgress((text) =>
    context.progress({ content: textContent(stripVTControlCharacters(text)) }),
  );
  let isInTerminal = false;
  const onOutput = (text: string) => {
    if (!isInTerminal) progress.add(text);
  };
  const command = await start(given.command, permitted, context, onOutput);
  const { terminalId, confinement } = command;
  context.ranConfined(confinement);
  if (terminalId !== undefined) {
    isInTerminal = true;
    context.progress({ content: [{ type: "terminal", terminalId }] });
  }
  const ended = await endOf(command, timeoutMs);
  context.signal.throwIfAborted();
  const text = stripVTControlCharacters(ended.output).trimEnd();
  const cut = await cutCommandOutput(text, context.callId, outputs);
  const notes = notesOn(ended, timeoutMs, cut.text === "");
  const output = [cut.text, ...notes].filter((part) => part !== "").join("\n\n");
  const metadata = {
    exit: ended.exitCode,
    ...(ended.signal !== null && { signal: ended.signal }),
    durationMs: Math.round(performance.now() - startedAt),
    truncated: cut.isCut || ended.truncated,
    ...(given.description !== undefined && { description: given.description }),
  };
  if (ended.isTimedOut) throw new ToolFailure("tool-timeout", output, metadata);
  const result = { output, metadata, ...(terminalId !== undefined && { terminalId }) };
  return { result, deniedHosts: command.deniedHosts(), permits: command.permits };
}

async function start(
  line: string,
  permitted: RunOptions,
  context: ToolContext,
  onOutput: (text: string) => void,
): Promise<RunningCommand> {
  try {
    return await context.workspace.start({ ...permitted, line, signal: context.signal, onOutput });
  } catch (error) {
    throw failureOf(error);
  }
}

type Ended = Awaited<RunningCommand["ended"]> & { isTimedOut: boolean };

/** Waits for the command to end, kills it after the timeout, and releases the terminal. */
async function endOf(command: RunningCommand, timeoutMs: number): Promise<Ended> {
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    void command.kill();
  }, timeoutMs);
  try {
    const ended = await command.ended;
    return { ...ended, isTimedOut };
  } catch (error) {
    throw failureOf(error);
  } finally {
    clearTimeout(timer);
    await command.release();
  }
}

function failureOf(error: unknown): unknown {
  return error instanceof CommandProblem ? new ToolFailure("failed", error.message) : error;
}

function notesOn(ended: Ended, timeoutMs: number, isSilent: boolean): string[] {
  const { exitCode, signal, truncated, isTimedOut } = ended;
  const notes: string[] = [];
  if (truncated) notes.push("(It wrote more than is kept: the beginning is lost.)");
  if (isTimedOut) {
    notes.push(
      `(It was ended after ${timeoutMs} ms. If it needs longer, call it again with a larger timeout; if it never ends by itself, start it in the background.)`,
    );
  } else if (signal !== null) notes.push(`(It was ended by ${signal}.)`);
  else if (exitCode !== 0 && exitCode !== null) notes.push(`(Exit code ${exitCode}.)`);
  else if (isSilent) notes.push("(It wrote nothing, and ended without an error.)");
  return notes;
}
