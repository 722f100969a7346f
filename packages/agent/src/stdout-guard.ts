import { Console } from "node:console";

/**
 * stdout carries ACP only. Redirects console output of packages to stderr and silences warnings of the AI
 * SDK. Call it before anything else is loaded.
 */
export function guardOutput(): void {
  globalThis.console = new Console(process.stderr, process.stderr);
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  // An unhandled rejection must not end all sessions.
  process.on("unhandledRejection", (error) => console.error("Unhandled rejection:", error));
}
