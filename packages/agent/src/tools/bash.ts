import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
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
import {
  confinementFor,
  keepMade,
  leavesSandbox,
  missingPlaces,
  openingFor,
} from "./bash-sandbox.ts";
import { cutCommandOutput } from "./command-output.ts";
import { OutputProgress } from "./output-progress.ts";
import { commandFiles } from "./command-files.ts";
import { outsideRequests } from "./outside-paths.ts";
import { ToolFailure, type Tool, type ToolContext, type ToolResult } from "./tool.ts";

const input = z.object({
  command: z
    .string()
    .refine((line) => line.trim() !== "", "There is no command.")
    .describe("The line for the shell"),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(bashLimits.timeoutMsMax)
    .optional()
    .describe(
      `Milliseconds until it is ended; ${bashLimits.timeoutMs} unless told, at most ${bashLimits.timeoutMsMax}`,
    ),
  workdir: z
    .string()
    .optional()
    .describe("The folder to run it in; the working directory unless told. Use this instead of cd"),
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
- Long output is cut in its middle, and you are told where all of it is.
- Commit, push, publish and delete only when the person wants it.`;

/** Runs shell lines. `outputs` is where whole outputs are kept. */
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
      content:
        purpose === "" ? [] : [{ type: "content", content: { type: "text", text: purpose } }],
    }),
    async run(given, context) {
      const workdir = context.workspace.resolve(given.workdir ?? ".");
      const place = await askFor(given, workdir, context, { outputs, judge: await open() });
      if (place.confinement === undefined) return runLine(given, place, context, outputs);
      const confined = { ...place, confinement: place.confinement };
      const missing = place.isUnasked ? await missingPlaces(context) : [];
      const result = await runConfined(given, confined, context, outputs);
      const removed = await keepMade(missing, context);
      if (removed.length === 0) return result;
      return withNote(
        result,
        `(The person did not want ${removed.join(", ")}, which it made: removed.)`,
      );
    },
  };
}

type Where = Pick<CommandOptions, "cwd" | "env" | "confinement">;

/** Where a line runs. `isUnasked`: in a sandbox, and nobody was asked. */
type Place = Where & { isUnasked?: boolean };

/** Resolves when the line may run, with where and how. A line that only reads runs without code of the repository. */
async function askFor(
  { command: line, network = false }: BashInput,
  workdir: string,
  context: ToolContext,
  { outputs, judge }: { outputs: string; judge: Judge },
): Promise<Place> {
  const { roots } = context.workspace;
  const path = process.env["PATH"] ?? "";
  const verdict = await judge.judge(line, { cwd: workdir, roots, readable: [outputs], path });
  const isFree = verdict.reasons.length === 0;
  const problem = await context.workspace.sandboxProblem();
  const hasSandbox = problem === null;
  const isConfined = hasSandbox && !network && !leavesSandbox(verdict);
  const wants = hasSandbox && network ? ["it asks for the network"] : [];
  if (!hasSandbox && context.level === "sandboxed") wants.push(`there is no sandbox (${problem})`);
  const request = bashRequest(line, verdict, judge, { isConfined, wants });
  const files = await commandFiles(verdict, context.workspace);
  await context.ask(...(await outsideRequests(line, verdict)), { ...request, files });
  const where = { cwd: workdir, env: isFree ? harmlessEnvironment : {} };
  if (!hasSandbox || context.level === "allow-all") return where;
  // What nobody was asked about sends nothing.
  const isUnasked = isFree || (context.level === "sandboxed" && isConfined);
  const confinement = await confinementFor(verdict, { hasNetwork: !isUnasked, outputs });
  return confinement === null ? where : { ...where, confinement, isUnasked };
}

/** How often one line is run again, each time with something more that a person opened. */
const againMax = 3;

/** A line that its sandbox stopped is run again when a person opens what it needs. */
async function runConfined(
  given: BashInput,
  place: Where & { confinement: Confinement },
  context: ToolContext,
  outputs: string,
): Promise<ToolResult> {
  let result = await runLine(given, place, context, outputs);
  let { confinement } = place;
  for (let run = 0; run < againMax && result.metadata?.["exit"] !== 0; run += 1) {
    const { denialsIn } = await import("@landline/sandbox");
    const opening = await openingFor(given.command, denialsIn(result.output), {
      confinement,
      workdir: place.cwd,
      context,
    });
    if (opening === null) return result;
    try {
      await context.ask(opening.request);
    } catch (error) {
      if (!(error instanceof PermissionRefused)) throw error;
      return withNote(
        result,
        `(The sandbox kept it from ${opening.what}, and the person did not allow it.)`,
      );
    }
    ({ confinement } = opening);
    const again = await runLine(given, { ...place, confinement }, context, outputs);
    const note = `(The sandbox kept it from ${opening.what}. The person allowed that, and it was run again from its beginning.)`;
    result = withNote(again, note);
  }
  return result;
}

function withNote(result: ToolResult, note: string): ToolResult {
  return { ...result, output: `${result.output}\n\n${note}` };
}

async function runLine(
  given: BashInput,
  place: Where,
  context: ToolContext,
  outputs: string,
): Promise<ToolResult> {
  const timeoutMs = given.timeout ?? bashLimits.timeoutMs;
  const startedAt = performance.now();
  using progress = new OutputProgress((text) =>
    context.progress({
      content: [
        { type: "content", content: { type: "text", text: stripVTControlCharacters(text) } },
      ],
    }),
  );
  let isInTerminal = false;
  const onOutput = (text: string) => {
    if (!isInTerminal) progress.add(text);
  };
  const command = await start(given.command, place, context, onOutput);
  const { terminalId } = command;
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
    ...(place.confinement && { sandbox: { network: place.confinement.network } }),
  };
  if (ended.isTimedOut) throw new ToolFailure("tool-timeout", output, metadata);
  return { output, metadata, ...(terminalId !== undefined && { terminalId }) };
}

async function start(
  line: string,
  place: Where,
  context: ToolContext,
  onOutput: (text: string) => void,
): Promise<RunningCommand> {
  try {
    return await context.workspace.start({ ...place, line, signal: context.signal, onOutput });
  } catch (error) {
    throw failureOf(error);
  }
}

type Ended = Awaited<RunningCommand["ended"]> & { isTimedOut: boolean };

/** Waits for the end, brings it about when the time is over, and lets go of the terminal. */
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
