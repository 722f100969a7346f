import { CommanderError } from "commander";
import { endProcess } from "./end-process.ts";
import { exitCode } from "./exit-code.ts";
import { Output } from "./output.ts";
import { createProgram } from "./program.ts";

/** Runs one command and resolves to its exit code. Never rejects. */
export async function main(words: readonly string[]): Promise<number> {
  const output = new Output();
  let code: number = exitCode.done;
  try {
    const program = createProgram({ output, end: (ended) => (code = ended) });
    await program.parseAsync(withCommand(words), { from: "user" });
    return code;
  } catch (error) {
    // commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode.usage;
    const { exitCodeOfError, failureText } = await import("./failure.ts");
    output.endLine();
    output.note(failureText(error));
    return exitCodeOfError(error);
  }
}

/** The default command is `serve`, with its options. */
function withCommand(words: readonly string[]): string[] {
  const [first] = words;
  const isServe = first === undefined || (first.startsWith("-") && !ofProgram.has(first));
  return isServe ? ["serve", ...words] : [...words];
}

const ofProgram = new Set(["-h", "--help", "-V", "--version"]);

export async function runAndExit(words: readonly string[]): Promise<void> {
  // The reader may close the pipe early, as in `landline sessions | head`.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCode.done);
    throw error;
  });
  await endProcess(await main(words));
}
