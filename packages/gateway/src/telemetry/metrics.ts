import {
  type ErrorCode,
  type Limits,
  limitsOf,
  type SessionSummary,
  type TurnEnded,
} from "@landline/protocol";
import type { NormaliseRule } from "@landline/protocol/compat";
import { loadOnce } from "@landline/system/load-once";
import { Counter, Durations, LabelledCounter, LabelledGauge, type Series } from "./metric-types.ts";

/**
 * The gateway's metrics, as plain numbers. prom-client takes 40 ms to load, so the first request of `/metrics` loads it;
 * from then on it adds its metrics of the process.
 */
export interface Metrics {
  /** Open sessions, by state. */
  readonly sessions: LabelledGauge<SessionSummary["state"]>;
  /** By agent id, as are the two below. */
  readonly agentsRunning: LabelledGauge;
  readonly agentsStarted: LabelledCounter;
  readonly agentsCrashed: LabelledCounter;
  readonly turnsStarted: Counter;
  /** By stop reason. */
  readonly turnsEnded: LabelledCounter<TurnEnded["stopReason"]>;
  readonly eventsAppended: Counter;
  readonly bytesAppended: Counter;
  /** By transport: `ws`, `sse`, `acp`. */
  readonly clients: LabelledGauge;
  /** By command type. */
  readonly commands: LabelledCounter;
  /** Errors that clients received, by code. */
  readonly errors: LabelledCounter<ErrorCode>;
  readonly askWaits: Durations;
  readonly appendTimes: Durations;
  readonly normaliserHits: LabelledCounter<NormaliseRule>;
  /** By limit. */
  readonly rateLimited: LabelledCounter;
  /** By outcome: `refused`, `slowed`, `blocked`. */
  readonly wrongTokens: LabelledCounter;
  /** The content type of `render`. */
  readonly contentType: string;
  /** The metrics in the Prometheus text format. */
  render(): Promise<string>;
}

export function createMetrics(limits: Limits = limitsOf("default")): Metrics {
  const most = limits.metricLabels;
  const series = {
    sessions: new LabelledGauge<SessionSummary["state"]>("state", most),
    agentsRunning: new LabelledGauge("agent", most),
    agentsStarted: new LabelledCounter("agent", most),
    agentsCrashed: new LabelledCounter("agent", most),
    turnsStarted: new Counter(),
    turnsEnded: new LabelledCounter<TurnEnded["stopReason"]>("outcome", most),
    eventsAppended: new Counter(),
    bytesAppended: new Counter(),
    clients: new LabelledGauge("transport", most),
    commands: new LabelledCounter("type", most),
    errors: new LabelledCounter<ErrorCode>("code", most),
    askWaits: new Durations(askBoundsMs),
    appendTimes: new Durations(appendBoundsMs),
    normaliserHits: new LabelledCounter<NormaliseRule>("rule", most),
    rateLimited: new LabelledCounter("limit", most),
    wrongTokens: new LabelledCounter("outcome", most),
  } satisfies Record<SeriesName, Series>;
  const renderer = loadOnce(() => rendererOf(series));
  return {
    ...series,
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    async render() {
      return (await renderer())();
    },
  };
}

type SeriesName = Exclude<keyof Metrics, "contentType" | "render">;

/** Names and help texts for Prometheus. */
const words: Readonly<Record<SeriesName, readonly [name: string, help: string]>> = {
  sessions: ["sessions", "Open sessions, by state."],
  agentsRunning: ["agents_running", "Running agents."],
  agentsStarted: ["agents_started_total", "Agents started."],
  agentsCrashed: ["agents_crashed_total", "Agents that exited unexpectedly."],
  turnsStarted: ["turns_started_total", "Turns started."],
  turnsEnded: ["turns_ended_total", "Turns ended, by stop reason."],
  eventsAppended: ["events_appended_total", "Events appended to logs."],
  bytesAppended: ["bytes_appended_total", "Bytes appended to logs."],
  clients: ["clients", "Attached clients, by transport."],
  commands: ["commands_total", "Commands from clients, by type."],
  errors: ["errors_total", "Errors sent to clients, by code."],
  askWaits: ["ask_wait_seconds", "Time until a permission request or question was answered."],
  appendTimes: ["append_seconds", "Duration of one append to a log."],
  normaliserHits: ["normaliser_hits_total", "Accepted messages that deviate from ACP."],
  rateLimited: ["rate_limited_total", "Requests rejected by a rate limit."],
  wrongTokens: ["wrong_tokens_total", "Wrong tokens, by outcome."],
};

const SECOND = 1_000;
const askBoundsMs = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400].map((each) => each * SECOND);
const appendBoundsMs = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100, 1_000];

async function rendererOf(series: Readonly<Record<SeriesName, Series>>) {
  const { createRenderer } = await import("./render-metrics.ts");
  const names = Object.keys(words) as SeriesName[];
  return createRenderer(
    names.map((each) => {
      const [name, help] = words[each];
      return { name: `landline_${name}`, help, series: series[each] };
    }),
  );
}
