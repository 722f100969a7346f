import { Console } from "node:console";

/**
 * Standard output belongs to the protocol. Whatever a package prints goes to standard error instead, and
 * the AI SDK's notices go nowhere. Called before anything else is loaded.
 */
export function guardOutput(): void {
  globalThis.console = new Console(process.stderr, process.stderr);
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  // A promise that somebody forgot is no reason to end everybody's sessions.
  process.on("unhandledRejection", (error) => console.error("Something failed unseen:", error));
}
