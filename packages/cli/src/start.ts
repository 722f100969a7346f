import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

// The types are stripped once and not at every start. In a folder of the user's own: whoever can write
// to it decides what runs here.
const { XDG_CACHE_HOME: named = "" } = process.env;
const cacheFolder = isAbsolute(named) ? named : join(homedir(), ".cache");
enableCompileCache(join(cacheFolder, "landline", "compiled"));

const { runAndExit } = await import("./main.ts");
await runAndExit(process.argv.slice(2));
