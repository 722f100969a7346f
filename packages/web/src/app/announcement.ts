import type { SessionActivity } from "./session-activity.ts";

type Said = "Working" | "Needs your answer" | "Stalled" | "Failed" | "Done" | "Closed";

/** The announcement for a change of state; null if there is nothing new. */
export function announcementOf(
  before: SessionActivity | null,
  after: SessionActivity | null,
): Said | null {
  if (before === null || after === null) return null;
  return said[after] === said[before] ? null : said[after];
}

const said: Readonly<Record<SessionActivity, Said>> = {
  waiting: "Working",
  starting: "Working",
  thinking: "Working",
  working: "Working",
  cancelling: "Working",
  asking: "Needs your answer",
  stalled: "Stalled",
  failed: "Failed",
  closed: "Closed",
  idle: "Done",
};
