import { LandlineError, type ErrorRaised } from "@landline/protocol";
import { isChosen, withoutChoice, type Options } from "./options.ts";
import type { OpenRequest } from "./sessions.ts";

interface ChoiceMaker {
  /** The current options; null if the agent has ended. */
  readonly options: () => Options | null;
  readonly choose: (configId: string, value: string | boolean) => Promise<void>;
  readonly record: (note: ErrorRaised) => void;
}

/** Applies the choices with which a session is opened. A refused choice is recorded as an error. */
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
      // Stop if the agent hangs or has ended.
      if (error.code === "timeout" || options() === null) return;
    }
  }
}
