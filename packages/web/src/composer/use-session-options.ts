import type { SessionView } from "@landline/protocol";
import { useMemo, useState } from "react";
import { runCommand } from "../state/run-command.ts";
import { useOnlySession, useThisSession, useView } from "../state/session.tsx";
import { sessionOptions, type SessionOption } from "./session-options.ts";

type Value = SessionOption["value"];

export interface SessionOptions {
  readonly offers: readonly SessionOption[];
  /** Chosen values that the agent has not confirmed yet, by option key. */
  readonly pending: ReadonlyMap<string, Value>;
  readonly choose: (offer: SessionOption, value: Value) => void;
}

/** The options of the session. A choice that fails is reverted and reported. */
export function useSessionOptions(): SessionOptions {
  const session = useThisSession();
  const isLimited = useOnlySession() !== null;
  const modes = useView<SessionView["modes"]>((view) => view.modes, null);
  const configOptions = useView<SessionView["configOptions"]>((view) => view.configOptions, null);
  const models = useView<SessionView["models"]>((view) => view.models, null);
  const offers = useMemo(
    () => sessionOptions({ modes, configOptions, models }),
    [modes, configOptions, models],
  );
  const [pending, setPending] = useState<ReadonlyMap<string, Value>>(new Map());

  const choose = (offer: SessionOption, value: Value) => {
    if (value === offer.value) return;
    setPending((before) => new Map(before).set(offer.key, value));
    const command =
      "mode" in offer.by
        ? session.setMode(String(value))
        : // A model or an effort counts for the next conversation too. A mode must never.
          session.setConfig(offer.by.config, value, {
            remember: offer.role !== "mode" && !isLimited,
          });
    void runCommand(command).then(() =>
      setPending((before) => {
        // Another value was chosen meanwhile.
        if (before.get(offer.key) !== value) return before;
        return new Map([...before].filter(([key]) => key !== offer.key));
      }),
    );
  };
  return { offers, pending, choose };
}
