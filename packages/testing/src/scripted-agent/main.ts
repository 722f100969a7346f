import { enableCompileCache } from "node:module";

// Stripping types takes most of the start time; the compile cache does it once per file.
enableCompileCache();
await import("./program.ts");
