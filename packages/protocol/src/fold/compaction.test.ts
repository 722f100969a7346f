import { describe, expect, it } from "vitest";
import { logOf, update } from "../../test/events.ts";
import type { EventBody } from "../events.ts";
import { fold } from "../fold.ts";
import { emptyView } from "../view/empty.ts";

const items = (...bodies: readonly EventBody[]) => fold(emptyView(), logOf(...bodies)).items;
const text = (said: string) => ({ type: "text", text: said });

describe("a compaction", () => {
  it("is one item, its summary joined from chunks", () => {
    const chunk = (said: string) =>
      update("compaction_summary_chunk", { compactionId: "c", content: text(said) });
    expect(
      items(
        chunk("So "),
        update("compaction_update", { compactionId: "c", status: "in_progress" }),
        chunk("far."),
        update("compaction_update", { compactionId: "c", status: "completed" }),
      ),
    ).toMatchObject([
      { type: "compaction", status: "completed", summary: [text("So far.")], first: 1, last: 4 },
    ]);
  });

  it("accepts a whole summary instead of the chunks, and an error", () => {
    expect(
      items(
        update("compaction_summary_chunk", { compactionId: "c", content: text("half") }),
        update("compaction_update", {
          compactionId: "c",
          status: "failed",
          summary: [text("whole")],
          error: "no room",
        }),
      ),
    ).toMatchObject([{ status: "failed", summary: [text("whole")], error: "no room" }]);
  });
});
