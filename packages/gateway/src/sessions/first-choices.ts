import { LandlineError, type ErrorRaised } from "@landline/protocol";
import { isChosen, withoutChoice, type Options } from "./options.ts";
import type { OpenRequest } from "./sessions.ts";

interface ChoiceMaker {
  /** The options now; null when the agent has ended. */
  readonly options: () => Options | null;
  readonly choose: (configId: string, value: string | boolean) => Promise<void>;
  readonly record: (note: ErrorRaised) => void;
}

/** Makes the choices that a session is opened with. What the agent does not take is an error in the log. */
export async function makeFirstChoices(
  config: NonNullable<OpenRequest["config"]>,
  { options, choose, record }: ChoiceMaker,
): Promise<void> {
  for (const { configId, value } of config) {
    const now = options();
    if (now && isChosen(now, configId, value)) continue;
    try {
      await choose(configId, value);
    } catch (error) {
      if (!(error instanceof LandlineError)) throw error;
      record(withoutChoice(configId, value, error));
      // One that hangs, or has ended, is asked nothing more.
      if (error.code === "timeout" || options() === null) return;
    }
  }
}
