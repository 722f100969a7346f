import * as fc from "fast-check";
import {
  decodeLine,
  emptyView,
  fold,
  limitsOf,
  summaryOf,
  summaryPartsOf,
  type EventBody,
} from "@landline/protocol";
import { expect, it } from "vitest";
import { anyBody, update } from "../../test/index/sample-events.ts";
import { memoryLogs } from "../../test/log/memory.ts";
import type { EventDraft, SessionLog } from "../log/log.ts";
import { LiveSummary } from "./live-summary.ts";

const limits = { ...limitsOf("default"), blobBytes: 2_000 };

/** Updates are the text that the agent sent. */
function draftOf(body: EventBody): EventDraft {
  if (body.kind !== "update") return body;
  const { update: fields, ...rest } = body;
  return { ...rest, raw: JSON.stringify(fields), sessionUpdate: fields["sessionUpdate"] };
}

async function viewOf(log: SessionLog) {
  let text = "";
  for await (const { bytes } of log.read(0)) text += bytes.toString("utf8");
  return fold(emptyView(), text.trimEnd().split("\n").map(decodeLine));
}

const longTitle = fc
  .constantFrom("long title ".repeat(300), "kept ".repeat(300))
  .map((title) => update({ sessionUpdate: "session_info_update", title }));
const batches = fc.array(
  fc.array(fc.oneof({ weight: 9, arbitrary: anyBody }, longTitle), { minLength: 1, maxLength: 8 }),
  { minLength: 1, maxLength: 8 },
);

it("is the same as the summary of the log's view", async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (given) => {
      let now = 1_000;
      await using logs = memoryLogs({ limits, now: () => now++ });
      const log = await logs.create("s");
      const summary = new LiveSummary(log, summaryPartsOf(emptyView()));
      for (const bodies of given) {
        const drafts = bodies.map(draftOf);
        summary.note(drafts, log.append(drafts));
        expect(summary.visible).toEqual(summaryOf("s", await viewOf(log)));
      }
    }),
  );
});
