import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { bashLimits } from "../limits.ts";
import { bashRequest } from "../permission/bash-request.ts";
import { scanLine } from "../permission/bash-scan.ts";
import { CommandProblem, type RunningCommand } from "../workspace/workspace.ts";
import { cutCommandOutput } from "./command-output.ts";
import { OutputProgress } from "./output-progress.ts";
import { folderPattern, outsideFolders } from "./outside-paths.ts";
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
- People are asked about commands that they have not allowed. What stands there plainly is easily allowed for good; variables, substitutions and lines in quotes (sh -c) are asked about each time. So write plain commands where you can.
- It is ended after the timeout, with what it started. A server that should go on running is started with & and its output sent to a file; it ends with the session.
- Long output is cut in its middle, and you are told where all of it is.
- Commit, push, publish and delete only when the person wants it.`;

/** Runs shell lines. `outputs` is where whole outputs are kept. */
export function createBashTool(outputs: string): Tool<BashInput> {
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
      await askFor(given.command, workdir, context);
      return runLine(given, workdir, context, outputs);
    },
  };
}

async function askFor(line: string, workdir: string, context: ToolContext): Promise<void> {
  const scanned = await scanLine(line);
  const outside = await outsideFolders(scanned.paths, workdir, context.workspace);
  if (outside.length > 0) {
    const patterns = outside.map(folderPattern);
    const title = `${line} (outside of the project, in ${outside.join(", ")})`;
    const request = { permission: "external_directory", patterns, always: patterns };
    await context.ask({ ...request, view: { title } });
  }
  await context.ask(bashRequest(line, scanned));
}

async function runLine(
  given: BashInput,
  workdir: string,
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
  const command = await start(given.command, workdir, context, onOutput);
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
  };
  if (ended.isTimedOut) throw new ToolFailure("tool-timeout", output, metadata);
  return { output, metadata, ...(terminalId !== undefined && { terminalId }) };
}

async function start(
  line: string,
  cwd: string,
  context: ToolContext,
  onOutput: (text: string) => void,
): Promise<RunningCommand> {
  try {
    return await context.workspace.start({ line, cwd, signal: context.signal, onOutput });
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
