import { join, resolve } from "node:path";
import { expandHome } from "@landline/system/expand-home";
import { homeFolder, xdgFolder } from "@landline/system/home-folders";

type Environment = Readonly<Record<string, string | undefined>>;

export function defaultDataFolder(environment: Environment): string {
  return join(xdgFolder(environment, "XDG_DATA_HOME"), "landline");
}

export function defaultConfigFile(environment: Environment): string {
  return join(xdgFolder(environment, "XDG_CONFIG_HOME"), "landline", "config.json");
}

/** Only `~` and `~/…` are changed: a command may be a name without a folder. */
export function expandedPath(path: string, environment: Environment): string {
  const expanded = expandHome(path, homeFolder(environment));
  return expanded === path ? path : resolve(expanded);
}
