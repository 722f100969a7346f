import { homedir } from "node:os";
import { join, resolve } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The XDG base directories. Relative values are ignored, as the specification requires. */
function baseFolder(environment: Environment, variable: string, fallback: string): string {
  const named = environment[variable];
  return named?.startsWith("/") ? named : join(homeFolder(environment), fallback);
}

export function homeFolder(environment: Environment): string {
  const home = environment["HOME"];
  return home === undefined || home === "" ? homedir() : home;
}

export function defaultDataFolder(environment: Environment): string {
  return join(baseFolder(environment, "XDG_DATA_HOME", ".local/share"), "landline");
}

export function defaultConfigFile(environment: Environment): string {
  return join(baseFolder(environment, "XDG_CONFIG_HOME", ".config"), "landline", "config.json");
}

/** Expands `~/…` to the home folder, as a shell does. */
export function expandHome(path: string, environment: Environment): string {
  if (path !== "~" && !path.startsWith("~/")) return path;
  return resolve(homeFolder(environment), path.slice(2));
}
