import type { Figure } from "./figure.ts";
import { PeerMissing } from "./peers/peer.ts";
import { suites } from "./suites.ts";

/** Runs one variant of one suite, and prints its figure as JSON. */
const [suiteName, variantName = "", context = ""] = process.argv.slice(2);
const variant = suites.find(({ name }) => name === suiteName)?.variants[variantName];
if (!variant) throw new Error(`There is no variant ${variantName} of ${suiteName}.`);
console.log(JSON.stringify(await measure(variant)));
process.exit(0);

async function measure(run: (context: string) => Promise<Figure>): Promise<Figure> {
  try {
    return await run(context);
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error;
    return { cpuPerEvent: 0, wallMs: 0, events: 0, gaps: 0, missing: error.message };
  }
}
