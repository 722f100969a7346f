import { decodeLine, type OptionsChanged } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { noOptions, readOptions, type Options } from "./options.ts";

/** The options with which the agent started the session; null if the log has none. */
export async function readInitialOptions(log: Pick<SessionLog, "read">): Promise<Options | null> {
  for await (const { bytes } of log.read(0)) {
    for (const line of bytes.toString("utf8").trimEnd().split("\n")) {
      const event = line.includes('"options-changed"') ? decodeLine(line) : null;
      if (event?.kind === "options-changed") {
        const { modes, configOptions, models } = event as OptionsChanged;
        return readOptions({ modes, configOptions, models }, noOptions);
      }
    }
  }
  return null;
}
