import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { projectFoldersLast } from "@landline/system/find-command";

// Compiled once and not at every start. In a folder of the user's own: whoever can write to it decides
// what runs here.
const { XDG_CACHE_HOME: named = "" } = process.env;
const cacheFolder = isAbsolute(named) ? named : join(homedir(), ".cache");
enableCompileCache(join(cacheFolder, "landline", "compiled"));

const { PATH: path } = process.env;
if (path !== undefined && process.platform !== "win32")
  process.env["PATH"] = projectFoldersLast(path);

// Loaded after that, so that it is compiled once too; and no `await`, which CommonJS does not have here.
const [command, ...rest] = process.argv.slice(2);
// A client waits for the agent's first answer: it is started without what other commands need.
if (command === "agent")
  void import("./agent-process.ts").then(({ runAsAgent }) => runAsAgent(rest));
else void import("./main.ts").then(({ runAndExit }) => runAndExit(process.argv.slice(2)));
