import { collectDefaultMetrics, Registry } from "prom-client";
import type { Series } from "./metric-types.ts";

export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly series: Series;
}

/** Imports prom-client, so import this module only when metrics are requested. */
export function createRenderer(rows: readonly MetricRow[]): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const row of rows) {
    // The registry needs only this part of the metric interface.
    const metric = { name: row.name, get: () => Promise.resolve(valuesOf(row)) };
    registry.registerMetric(metric as unknown as Parameters<Registry["registerMetric"]>[0]);
  }
  return () => registry.metrics();
}

function valuesOf({ name, help, series }: MetricRow) {
  const values = series.samples().map(({ labels, value, suffix = "" }) => {
    return { labels, value, metricName: name + suffix };
  });
  return { name, help, type: series.type, aggregator: "sum", values };
}
