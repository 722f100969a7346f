import { LandlineError, type ErrorRaised } from "@landline/protocol";
import type { AgentSession } from "./agent-session.ts";
import { isChosen, withoutChoice } from "./options.ts";
import type { OpenRequest } from "./sessions.ts";

interface ChoiceMaker {
  /** Whether the agent still runs. */
  readonly isCurrent: () => boolean;
  readonly choose: (configId: string, value: string | boolean) => Promise<void>;
  readonly record: (note: ErrorRaised) => void;
}

/** Makes the choices that a session is opened with. What the agent does not take is an error in the log. */
export async function makeFirstChoices(
  agent: AgentSession,
  config: NonNullable<OpenRequest["config"]>,
  { isCurrent, choose, record }: ChoiceMaker,
): Promise<void> {
  for (const { configId, value } of config) {
    if (isChosen(agent.choices, configId, value)) continue;
    try {
      await choose(configId, value);
    } catch (error) {
      if (!(error instanceof LandlineError)) throw error;
      record(withoutChoice(configId, value, error));
      // One that hangs, or has ended, is asked nothing more.
      if (error.code === "timeout" || !isCurrent()) return;
    }
  }
}
