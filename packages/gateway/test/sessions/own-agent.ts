import { join } from "node:path";
import type { NewRule } from "../../src/acp-client/permissions/rule.ts";
import { openRules } from "../../src/acp-client/permissions/rules.ts";
import { ScriptedGateway } from "./scripted-gateway.ts";

interface OwnHouse {
  /** The agent's configuration. */
  config?: object;
  /** Rules of the gateway. */
  rules?: readonly NewRule[];
  /** Variables of the agent. */
  environment?: Readonly<Record<string, string>>;
}

/** A gateway with the built-in agent as `landline`, which finds no key and so uses the demo. */
export async function houseOfOurs(own: OwnHouse = {}): Promise<ScriptedGateway> {
  const { config = {}, rules = [], environment = {} } = own;
  const house = await ScriptedGateway.open({});
  await house.stop();
  const start = join(import.meta.dirname, "../../../cli/src/start.ts");
  const keys = Object.keys(process.env).filter((name) => name.endsWith("_API_KEY"));
  const noKeys = Object.fromEntries(keys.map((name) => [name, ""]));
  const folders = { XDG_CONFIG_HOME: house.folder, XDG_DATA_HOME: house.folder };
  const kept = await openRules(join(house.data, "rules.json"));
  for (const rule of rules) await kept.add(rule);
  const content = { LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify(config) };
  await house.start({
    agents: [
      {
        id: "landline",
        command: process.execPath,
        args: ["--conditions=@landline/source", start, "agent"],
        env: { ...noKeys, HOME: house.folder, ...folders, ...content, ...environment },
      },
    ],
  });
  return house;
}
