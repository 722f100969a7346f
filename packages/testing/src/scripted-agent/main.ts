import { enableCompileCache } from "node:module";

// Most of the start is spent on stripping types; with the cache that is done once for each file.
enableCompileCache();
await import("./program.ts");
