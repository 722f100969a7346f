import { suites } from "./suites.ts";

/** One variant of one suite, in a process of its own: prints its figure as JSON. */
const [suiteName, variantName = "", context = ""] = process.argv.slice(2);
const variant = suites.find(({ name }) => name === suiteName)?.variants[variantName];
if (!variant) throw new Error(`There is no variant ${variantName} of ${suiteName}.`);
console.log(JSON.stringify(await variant(context)));
process.exit(0);
