/** A `tool_call`, a permission request or a `tool_call_update`. */
export type CallSource = "call" | "permission" | "update";

/** The latest call with an id. */
export interface LatestCall {
  readonly isEnded: boolean;
  readonly isOfEarlierTurn: boolean;
  /** Only updates have arrived; the `tool_call` or the request may follow. */
  readonly isUnannounced: boolean;
}

/**
 * Whether a message starts another call with the id of the latest one. Some agents number calls from one in each
 * turn, or reuse ids within a turn. An update always belongs to the latest call. `isRepeat`: the message only repeats
 * the end of the call.
 */
export function isAnotherCall(
  source: CallSource,
  { isEnded, isOfEarlierTurn, isUnannounced }: LatestCall,
  isRepeat: () => boolean,
): boolean {
  if (source === "update") return false;
  if (isEnded) return isOfEarlierTurn || !(isUnannounced || isRepeat());
  return source === "call" && isOfEarlierTurn;
}
