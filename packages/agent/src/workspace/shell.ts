import { accessSync, constants } from "node:fs";
import { basename } from "node:path";

export interface ProgramCall {
  file: string;
  args: string[];
}

/**
 * How a line is run on this machine: by the user's shell where that is bash or zsh, because lines are
 * written for those, otherwise by bash, and at last by sh. One pipe takes both outputs, so that their
 * lines stay in the order in which they were written; the shell that sees to that is replaced.
 */
export function shellCall(
  line: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  // With /s, cmd.exe takes the first and the last quote off, and nothing else.
  if (platform === "win32") return windowsCall(`"${line}"`, environment);
  return {
    file: "/bin/sh",
    args: ["-c", 'exec 2>&1; exec "$@"', "landline", shellPath(environment), "-c", line],
  };
}

/** How a line is run by whoever starts programs without a shell. */
export function plainShellCall(
  line: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  return platform === "win32"
    ? windowsCall(line, environment)
    : { file: "/bin/sh", args: ["-c", line] };
}

function windowsCall(line: string, environment: NodeJS.ProcessEnv): ProgramCall {
  return { file: environment["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", line] };
}

function shellPath(environment: NodeJS.ProcessEnv): string {
  const own = environment["SHELL"] ?? "";
  const candidates = ["bash", "zsh"].includes(basename(own)) ? [own, "/bin/bash"] : ["/bin/bash"];
  return candidates.find(isProgram) ?? "/bin/sh";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
