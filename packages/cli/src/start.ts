import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { xdgFolder } from "@landline/system/home-folders";
import { projectFoldersLast } from "@landline/system/find-command";

// Caches compiled code in a folder of the user: a person who can write to it controls the code that runs here.
enableCompileCache(join(xdgFolder(process.env, "XDG_CACHE_HOME"), "landline", "compiled"));

const { PATH: path } = process.env;
if (path !== undefined && process.platform !== "win32")
  process.env["PATH"] = projectFoldersLast(path);

// Loaded afterwards, so that its compilation is cached too. CommonJS has no top-level `await`.
const [command, ...rest] = process.argv.slice(2);
// A client waits for the agent's first response, so the agent starts without loading other commands.
if (command === "agent")
  void import("./agent-process.ts").then(({ runAsAgent }) => runAsAgent(rest));
else void import("./main.ts").then(({ runAndExit }) => runAndExit(process.argv.slice(2)));
