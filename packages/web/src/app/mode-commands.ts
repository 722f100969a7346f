import type { Session } from "@landline/client";
import { isModeOption, type SessionView } from "@landline/protocol";

export interface ModeCommand {
  readonly name: string;
  readonly set: (session: Session) => Promise<void>;
}

/** The modes other than the current one. A config option of the category mode replaces the legacy modes. */
export function modeCommands(
  modes: SessionView["modes"],
  options: SessionView["configOptions"],
): readonly ModeCommand[] {
  const option = options?.find(isModeOption);
  if (option?.type === "select") {
    return option.options
      .flatMap((entry) => ("options" in entry ? entry.options : [entry]))
      .filter(({ value }) => value !== option.currentValue)
      .map(({ name, value }) => ({ name, set: (session) => session.setConfig(option.id, value) }));
  }
  return (modes?.availableModes ?? [])
    .filter(({ id }) => id !== modes?.currentModeId)
    .map(({ id, name }) => ({ name, set: (session) => session.setMode(id) }));
}
