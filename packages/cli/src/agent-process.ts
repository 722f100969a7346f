import { runAgent } from "@landline/agent";
import { endProcess } from "./end-process.ts";

/** This process is the built-in agent, which has options of its own. */
export async function runAsAgent(words: readonly string[]): Promise<void> {
  await endProcess(await runAgent(words));
}
