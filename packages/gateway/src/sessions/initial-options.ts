import { decodeLine, type OptionsChanged } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";
import { kindOfLine, linesOf } from "../log/log-lines.ts";
import { noOptions, readOptions, type Options } from "./options.ts";

/** The options with which the agent started the session; null if the log has none. */
export async function readInitialOptions(log: Pick<SessionLog, "read">): Promise<Options | null> {
  for await (const chunk of log.read(0)) {
    for (const line of linesOf(chunk)) {
      if (kindOfLine(line) !== "options-changed") continue;
      const { modes, configOptions, models } = decodeLine(line) as unknown as OptionsChanged;
      return readOptions({ modes, configOptions, models }, noOptions);
    }
  }
  return null;
}
