/** A `tool_call`, a permission request or a `tool_call_update`. */
export type CallSource = "call" | "permission" | "update";

/** The latest call with an id. */
export interface LatestCall {
  readonly isEnded: boolean;
  readonly isOfEarlierTurn: boolean;
  /** Only updates told of it so far: the `tool_call` or the request may still come. */
  readonly isUnannounced: boolean;
}

/**
 * Whether a message is about another call than the latest one with its id. Some agents count their calls from one in
 * each turn, and use ids again within one. An update always belongs to the latest call. `isRepeat`: the message says the
 * end of the call again, and nothing new.
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
