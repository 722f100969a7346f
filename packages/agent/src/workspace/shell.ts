import { accessSync, constants } from "node:fs";
import { basename } from "node:path";

export interface ProgramCall {
  file: string;
  args: string[];
}

/**
 * How a line is run on this machine: by bash, because lines are written for it and judged as it reads them, and by sh
 * where there is none. One pipe takes both outputs, so that their lines stay in the order in which they were written;
 * the shell that sees to that is replaced.
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

/** How a line is run by whoever starts programs without a shell: by the same one. */
export function plainShellCall(
  line: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  return platform === "win32"
    ? windowsCall(line, environment)
    : { file: shellPath(environment), args: ["-c", line] };
}

function windowsCall(line: string, environment: NodeJS.ProcessEnv): ProgramCall {
  return { file: environment["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", line] };
}

function shellPath(environment: NodeJS.ProcessEnv): string {
  const own = environment["SHELL"] ?? "";
  const candidates = basename(own) === "bash" ? [own, "/bin/bash"] : ["/bin/bash"];
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
