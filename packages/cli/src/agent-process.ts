import { runAgent } from "@landline/agent";
import { endProcess } from "./end-process.ts";

/** Runs this process as the built-in agent, which has its own options. */
export async function runAsAgent(words: readonly string[]): Promise<void> {
  await endProcess(await runAgent(words));
}
