import { join } from "node:path";
import type { NewRule } from "../../src/acp-client/permissions/rule.ts";
import { openRules } from "../../src/acp-client/permissions/rules.ts";
import { ScriptedGateway } from "./scripted-gateway.ts";

interface BuiltInAgentSetup {
  /** The agent's configuration. */
  config?: object;
  /** Rules of the gateway. */
  rules?: readonly NewRule[];
  /** Variables of the agent. */
  environment?: Readonly<Record<string, string>>;
}

/** A gateway with the built-in agent as `landline`, which finds no key and so uses the demo. */
export async function openBuiltInAgentGateway(
  own: BuiltInAgentSetup = {},
): Promise<ScriptedGateway> {
  const { config = {}, rules = [], environment = {} } = own;
  const gateway = await ScriptedGateway.open({});
  await gateway.stop();
  const start = join(import.meta.dirname, "../../../cli/src/start.ts");
  const keys = Object.keys(process.env).filter((name) => name.endsWith("_API_KEY"));
  const noKeys = Object.fromEntries(keys.map((name) => [name, ""]));
  const folders = { XDG_CONFIG_HOME: gateway.folder, XDG_DATA_HOME: gateway.folder };
  const kept = await openRules(join(gateway.data, "rules.json"));
  for (const rule of rules) await kept.add(rule);
  const content = { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(config) };
  await gateway.start({
    agents: [
      {
        id: "landline",
        command: process.execPath,
        args: ["--conditions=@landline/source", start, "agent"],
        env: { ...noKeys, HOME: gateway.folder, ...folders, ...content, ...environment },
      },
    ],
  });
  return gateway;
}
