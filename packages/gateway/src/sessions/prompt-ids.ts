import { decodeLine } from "@landline/protocol";
import type { SessionLog } from "../log/log.ts";

const LINE_FEED = 10;
const needle = Buffer.from('"kind":"prompt-queued"');

/** The ids of the prompts in a log, oldest first. Other lines are not parsed. */
export async function* promptIdsIn(log: SessionLog): AsyncGenerator<string> {
  for await (const { bytes } of log.read(0)) {
    for (let found = bytes.indexOf(needle); found !== -1;) {
      const start = bytes.lastIndexOf(LINE_FEED, found) + 1;
      const end = bytes.indexOf(LINE_FEED, found);
      const event = decodeLine(bytes.toString("utf8", start, end));
      if (event.kind === "prompt-queued" && typeof event["promptId"] === "string")
        yield event["promptId"];
      found = bytes.indexOf(needle, end);
    }
  }
}
