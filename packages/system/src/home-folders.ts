import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export function homeFolder(environment: Environment): string {
  const home = environment["HOME"];
  return home !== undefined && isAbsolute(home) ? home : homedir();
}

const defaults = {
  XDG_CACHE_HOME: ".cache",
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
} as const;

/** A folder of the XDG Base Directory Specification, which says to ignore relative values. */
export function xdgFolder(
  environment: Environment,
  variable: keyof typeof defaults,
  home = homeFolder(environment),
): string {
  const named = environment[variable];
  return named !== undefined && isAbsolute(named) ? named : join(home, defaults[variable]);
}
