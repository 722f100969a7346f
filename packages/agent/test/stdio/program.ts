import { runAgent } from "@landline/agent";

process.exitCode = await runAgent(process.argv.slice(2));
process.exit();
