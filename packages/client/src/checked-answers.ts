import type { Output, SessionSummary } from "@landline/protocol";
import { agentsOf, eventsOf, peopleOf, rulesDamageOf, summariesOf } from "./read-frame.ts";
import { problemOf } from "./problem.ts";

/** Validates the fields that the client relies on, in replies that it folds or caches. */
export const checkedAnswers = {
  "read-me": (me: Output<"read-me">) => ({
    ...me,
    people: peopleOf(me.people),
    rulesDamage: rulesDamageOf(me.rulesDamage),
  }),
  "list-agents": ({ agents }: Output<"list-agents">) => ({ agents: agentsOf(agents) }),
  "list-sessions": ({ sessions, nextCursor }: Output<"list-sessions">) => ({
    sessions: summariesOf(sessions),
    nextCursor: typeof nextCursor === "string" ? nextCursor : null,
  }),
  "read-events": ({ events, head }: Output<"read-events">) => {
    if (!Array.isArray(events) || typeof head !== "number") throw problemOf(null);
    return { events: eventsOf(events), head };
  },
  open: summaryOf,
  fork: summaryOf,
} as const;

function summaryOf(answer: unknown): SessionSummary {
  const [summary] = summariesOf([answer]);
  if (summary) return summary;
  throw problemOf(null);
}
