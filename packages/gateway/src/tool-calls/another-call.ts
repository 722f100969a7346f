/** A `tool_call`, a permission request or a `tool_call_update`. */
export type CallSource = "call" | "permission" | "update";

/** The latest call with an id. */
interface LatestCall {
  readonly isEnded: boolean;
  readonly isOfEarlierTurn: boolean;
}

/**
 * Whether a message is about another call than the latest one with its id. Some agents count their calls from one in
 * each turn, and use ids again within one. An update always belongs to the latest call.
 */
export function isAnotherCall(
  source: CallSource,
  { isEnded, isOfEarlierTurn }: LatestCall,
): boolean {
  if (source === "update") return false;
  return isEnded || (source === "call" && isOfEarlierTurn);
}
