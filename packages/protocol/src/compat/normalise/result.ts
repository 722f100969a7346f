import { LandlineError } from "../../errors.ts";
import type { Hits } from "./hits.ts";
import { normaliseInitializeResult } from "./initialize.ts";
import { normaliseConfigOptions, normaliseSessionOptions } from "./options.ts";
import { normalisePermissionResult } from "./permission.ts";
import { isRecord, type RawRecord, withField } from "../../record.ts";

/**
 * Normalises the result of a request of either side to the v1 schema; a conforming one is returned as the same
 * object. Throws when the result reports a failure, as the seeds do.
 */
export function normaliseResult(method: string, result: unknown, hits?: Hits): unknown {
  if (result === null && mayBeEmpty.has(method)) {
    hits?.count("null-result");
    return {};
  }
  if (!isRecord(result)) return result;
  switch (method) {
    case "initialize":
      return normaliseInitializeResult(result, hits);
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork":
      return normaliseSessionOptions(result, hits);
    case "session/set_config_option":
      return withField(
        result,
        "configOptions",
        normaliseConfigOptions(result["configOptions"], hits),
      );
    case "session/prompt":
      return stopped(result, hits);
    case "session/request_permission":
      return normalisePermissionResult(result, hits);
    default:
      return result;
  }
}

/** Methods whose result has no required field. */
const mayBeEmpty: ReadonlySet<string> = new Set([
  "authenticate",
  "logout",
  "session/load",
  "session/resume",
  "session/close",
  "session/delete",
  "session/set_mode",
  "session/set_model",
  "fs/write_text_file",
  "terminal/kill",
  "terminal/release",
]);

const stopReasons: ReadonlyMap<unknown, string> = new Map([
  ["completed", "end_turn"],
  ["stopped", "end_turn"],
  ["tool_use", "end_turn"],
  ["tool_choice", "end_turn"],
  ["max_output_tokens", "max_tokens"],
]);

function stopped(result: RawRecord, hits?: Hits): RawRecord {
  const { stopReason } = result;
  if (stopReason === "auth_required") {
    hits?.count("stop-reason");
    throw new LandlineError("auth-required");
  }
  if (stopReason === "error") {
    hits?.count("stop-reason");
    throw new LandlineError("internal-error", {
      message: "The agent ended the turn with an error and did not say which.",
      help: "Look at the end of the agent's stderr, then send the prompt again.",
    });
  }
  const real = stopReasons.get(stopReason);
  if (real === undefined) return result;
  hits?.count("stop-reason");
  return { ...result, stopReason: real };
}
