import { lineShell, withOneOutput } from "@landline/system/command-shell";

export interface ProgramCall {
  file: string;
  args: string[];
}

/** How a line is run on this machine, with one pipe for both outputs. */
export function shellCall(
  line: string,
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): ProgramCall {
  // With /s, cmd.exe takes the first and the last quote off, and nothing else.
  if (platform === "win32") return windowsCall(`"${line}"`, environment);
  return withOneOutput([lineShell(environment), "-c", line]);
}

/** How a line is run by whoever starts programs without a shell: by the same one. */
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
