import { join } from "node:path";
import { House } from "./house.ts";

/** A house with our own agent as `landline`, which finds no key and so plays the demo. */
export async function houseOfOurs(): Promise<House> {
  const house = await House.open({});
  await house.stop();
  const start = join(import.meta.dirname, "../../../cli/src/start.ts");
  const keys = Object.keys(process.env).filter((name) => name.endsWith("_API_KEY"));
  const noKeys = Object.fromEntries(keys.map((name) => [name, ""]));
  const folders = { XDG_CONFIG_HOME: house.folder, XDG_DATA_HOME: house.folder };
  await house.start({
    agents: [
      {
        id: "landline",
        command: process.execPath,
        args: ["--conditions=@landline/source", start, "agent"],
        env: { ...noKeys, HOME: house.folder, ...folders },
      },
    ],
  });
  return house;
}
