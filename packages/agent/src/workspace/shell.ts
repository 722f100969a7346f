import { lineShell, withOneOutput } from "@landline/system/command-shell";

export interface ProgramCall {
  file: string;
  args: string[];
}

/** The call that runs a line locally, with one pipe for both outputs. */
export function shellCall(
  line: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  // With /s, cmd.exe removes only the first and the last quote.
  if (platform === "win32") return windowsCall(`"${line}"`, environment);
  return withOneOutput([lineShell(environment), "-c", line]);
}

/** The call that runs a line for clients that start programs without a shell. */
export function plainShellCall(
  line: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  return platform === "win32"
    ? windowsCall(line, environment)
    : { file: lineShell(environment), args: ["-c", line] };
}

function windowsCall(line: string, environment: NodeJS.ProcessEnv): ProgramCall {
  return { file: environment["ComSpec"] ?? "cmd.exe", args: ["/d", "/s", "/c", line] };
}
