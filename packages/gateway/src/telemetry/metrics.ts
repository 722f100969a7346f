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
 * What the gateway counts. Plain numbers: prom-client takes 40 ms to load, so it is loaded when `/metrics`
 * is first asked for, and adds what it knows of the process itself from then on.
 */
export interface Metrics {
  /** Open sessions, by state. */
  readonly sessions: LabelledGauge<SessionSummary["state"]>;
  /** By the agent's id: so are the two below. */
  readonly agentsRunning: LabelledGauge;
  readonly agentsStarted: LabelledCounter;
  readonly agentsCrashed: LabelledCounter;
  readonly turnsStarted: Counter;
  /** By how they ended. */
  readonly turnsEnded: LabelledCounter<TurnEnded["stopReason"]>;
  readonly eventsAppended: Counter;
  readonly bytesAppended: Counter;
  /** By door: `ws`, `sse`, `acp`. */
  readonly clients: LabelledGauge;
  /** By the command's type. */
  readonly commands: LabelledCounter;
  /** Refusals and failures that clients were told of. */
  readonly errors: LabelledCounter<ErrorCode>;
  readonly askWaits: Durations;
  readonly appendTimes: Durations;
  readonly normaliserHits: LabelledCounter<NormaliseRule>;
  /** By the limit that was hit. */
  readonly rateLimited: LabelledCounter;
  /** By what became of them: `refused`, `slowed`, `blocked`. */
  readonly wrongTokens: LabelledCounter;
  /** What `render` is to be served as. */
  readonly contentType: string;
  /** The text that Prometheus reads. */
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
    clients: new LabelledGauge("door", most),
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

/** As Prometheus knows them. */
const words: Readonly<Record<SeriesName, readonly [name: string, help: string]>> = {
  sessions: ["sessions", "Open sessions, by state."],
  agentsRunning: ["agents_running", "Agents that run now."],
  agentsStarted: ["agents_started_total", "Agents that were started."],
  agentsCrashed: ["agents_crashed_total", "Agents that ended by themselves."],
  turnsStarted: ["turns_started_total", "Turns that began."],
  turnsEnded: ["turns_ended_total", "Turns, by how they ended."],
  eventsAppended: ["events_appended_total", "Events that were written to logs."],
  bytesAppended: ["bytes_appended_total", "Bytes that were written to logs."],
  clients: ["clients", "Clients that are attached, by door."],
  commands: ["commands_total", "Commands of clients, by type."],
  errors: ["errors_total", "Errors that clients were told of, by code."],
  askWaits: ["ask_wait_seconds", "How long asks waited for their answer."],
  appendTimes: ["append_seconds", "How long the log took to write what one read gave."],
  normaliserHits: ["normaliser_hits_total", "Spellings that were understood and are not ACP."],
  rateLimited: ["rate_limited_total", "Requests that were refused because there were too many."],
  wrongTokens: ["wrong_tokens_total", "Wrong tokens, by what became of them."],
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
