export type Unit = "bytes" | "milliseconds" | "per minute" | "count" | "characters" | "events";

export interface LimitRow {
  readonly unit: Unit;
  readonly default: number | null;
  readonly spec: number | null;
  /** What happens at the limit: one sentence for both profiles, or one for each. */
  readonly consequence: string | { readonly default: string; readonly spec: string };
  /** Part of the protocol: clients and gateways must agree on it, so a config cannot change it. */
  readonly fixed?: true;
}
