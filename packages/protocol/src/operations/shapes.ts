import { sessionEvent } from "./shapes/event.ts";
import { execution } from "./shapes/execution.ts";
import { gatewayFrame, problem } from "./shapes/frame.ts";
import { agentSummary, rulesDamage, sessionSummary } from "./shapes/summary.ts";
import { sessionView, viewItem } from "./shapes/view.ts";

/** What the gateway sends in more than one place, by its name in OpenAPI. */
export const shapes = {
  SessionSummary: sessionSummary,
  SessionView: sessionView,
  Item: viewItem,
  Execution: execution,
  SessionEvent: sessionEvent,
  AgentSummary: agentSummary,
  RulesDamage: rulesDamage,
  GatewayFrame: gatewayFrame,
  Problem: problem,
} as const;
