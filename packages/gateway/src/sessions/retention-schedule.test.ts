import { expect, test, vi } from "vitest";
import { RetentionSchedule } from "./retention-schedule.ts";

test("a session that fails to be deleted, or is continued meanwhile, does not stop the others", async () => {
  const deleted: string[] = [];
  const inUse = new Set<string>();
  using schedule = new RetentionSchedule({
    logs: {
      sizes: async () =>
        ["broken", "continued", "old"].map((sessionId) => ({ sessionId, bytes: 1, lastAt: 0 })),
    },
    sessions: {
      inUse: async () => inUse,
      delete: async (sessionId) => {
        inUse.add("continued");
        if (sessionId === "broken") throw new Error("no");
        deleted.push(sessionId);
      },
    },
    logger: { info: () => {}, error: () => {} },
    limits: { retentionCheckMs: 3_600_000 },
    policy: { maxAgeMs: 1 },
  });
  schedule.start();
  await vi.waitFor(() => expect(deleted).toEqual(["old"]));
});
