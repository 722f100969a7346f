import { loadConfig, startGateway } from "@landline/gateway";

/** A gateway without the built-in agent, with the flags of the command line: `serve --json --port N --data DIR`. */
const [, , , , port = "0", , data = ""] = process.argv.slice(1);
const gateway = await startGateway(await loadConfig({ flags: { port, data } }));
console.log(JSON.stringify({ url: gateway.url, port: gateway.port, token: gateway.token }));
process.once("SIGTERM", () => void gateway.close());
