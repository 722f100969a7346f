export type Unit = "bytes" | "milliseconds" | "per minute" | "count" | "characters" | "events";

export interface LimitRow {
  readonly unit: Unit;
  readonly default: number | null;
  readonly spec: number | null;
  /** What happens when it is hit. One sentence for both profiles, or one for each. */
  readonly consequence: string | { readonly default: string; readonly spec: string };
  /** Part of the protocol itself: every client and every gateway must agree on it, so no config changes it. */
  readonly fixed?: true;
}
