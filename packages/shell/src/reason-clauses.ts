import type { CommandFacts, Effect } from "./line-facts.ts";
import { effectText, listText } from "./effects.ts";
import type { Reason, ReasonCode } from "./verdict.ts";

/** The reasons as clauses that follow "because". All effects of one command are joined into one clause. */
export function clausesOf(reasons: readonly Reason[]): readonly string[] {
  const done = new Set<CommandFacts>();
  return reasons.flatMap(({ code, message, about }) => {
    if (about.kind !== "command" || !isEffect(code)) return [message];
    const { command } = about;
    if (done.has(command)) return [];
    done.add(command);
    const effects = reasons
      .filter((reason) => reason.about.kind === "command" && reason.about.command === command)
      .flatMap((reason) => (isEffect(reason.code) ? effectText[reason.code] : []));
    return [message.slice(0, -effectText[code].length) + listText(effects)];
  });
}

function isEffect(code: ReasonCode): code is Exclude<Effect, "read"> {
  return Object.hasOwn(effectText, code);
}
