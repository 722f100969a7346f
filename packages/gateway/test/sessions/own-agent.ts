import { join } from "node:path";
import type { NewRule } from "../../src/duties/rule.ts";
import { openRules } from "../../src/duties/rules.ts";
import { House } from "./house.ts";

interface OwnHouse {
  /** The agent's configuration. */
  config?: object;
  /** Rules of the gateway. */
  rules?: readonly NewRule[];
}

/** A house with our own agent as `landline`, which finds no key and so plays the demo. */
export async function houseOfOurs({ config = {}, rules = [] }: OwnHouse = {}): Promise<House> {
  const house = await House.open({});
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
        env: { ...noKeys, HOME: house.folder, ...folders, ...content },
      },
    ],
  });
  return house;
}
