import type { NewRule } from "@landline/client";
import { isToolKind, LandlineError, toolKinds } from "@landline/protocol";

/**
 * Parses the value of `--allow`: `read`, `edit:src/**`, `execute:npm test`, `execute:reads`, `fetch:example.com`,
 * `tool:NAME`. The gateway decides whether a request matches, as for every other rule.
 */
export function readAllowRule(text: string): NewRule["what"] {
  const colon = text.indexOf(":");
  const word = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? "" : text.slice(colon + 1).trim();
  if (word === "tool" && rest !== "") return { toolName: rest };
  if (!isToolKind(word) || (colon >= 0 && rest === ""))
    throw new LandlineError("invalid-params", {
      message: `--allow ${JSON.stringify(text.slice(0, 100))} is not a rule.`,
      help: `Write a kind (${toolKinds.join(", ")}), kind:path like "edit:src/**", "execute:npm test", "execute:reads", "fetch:example.com", or tool:NAME.`,
    });
  if (rest === "") return { toolKind: word };
  if (word === "execute" && rest === "reads") return { onlyReads: true };
  if (word === "fetch") return { toolKind: word, host: rest };
  return word === "execute" ? { commandPrefix: rest } : { toolKind: word, pathGlob: rest };
}
