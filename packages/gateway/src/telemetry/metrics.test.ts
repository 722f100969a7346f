import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";
import { LabelledCounter } from "./metric-types.ts";

/** The lines of one metric, without its help text. */
async function linesOf(metrics: ReturnType<typeof createMetrics>, name: string) {
  const text = await metrics.render();
  return text.split("\n").filter((line) => line.startsWith(`landline_${name}`));
}

describe("metrics", () => {
  it("have a name and a help text before anything is counted", async () => {
    const text = await createMetrics().render();
    const declared = [...text.matchAll(/^# TYPE (landline_\w+) (\w+)$/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    expect(declared).toEqual([
      "landline_sessions gauge",
      "landline_agents_running gauge",
      "landline_agents_started_total counter",
      "landline_agents_crashed_total counter",
      "landline_turns_started_total counter",
      "landline_turns_ended_total counter",
      "landline_events_appended_total counter",
      "landline_bytes_appended_total counter",
      "landline_clients gauge",
      "landline_commands_total counter",
      "landline_errors_total counter",
      "landline_ask_wait_seconds histogram",
      "landline_append_seconds histogram",
      "landline_normaliser_hits_total counter",
      "landline_rate_limited_total counter",
      "landline_wrong_tokens_total counter",
    ]);
    expect(text.match(/^# HELP landline_/gm)).toHaveLength(declared.length);
    expect(text).toContain("process_resident_memory_bytes");
  });

  it("have counters, gauges and labels", async () => {
    const metrics = createMetrics();
    metrics.eventsAppended.add();
    metrics.eventsAppended.add(4);
    metrics.sessions.add("running", 2);
    metrics.sessions.add("running", -1);
    metrics.sessions.set("idle", 7);
    metrics.errors.add("ask-not-found");
    metrics.errors.add("ask-not-found", 2);
    metrics.commands.add('odd "label"\n\\');
    expect(await linesOf(metrics, "events_appended")).toEqual(["landline_events_appended_total 5"]);
    expect(await linesOf(metrics, "sessions")).toEqual([
      'landline_sessions{state="running"} 1',
      'landline_sessions{state="idle"} 7',
    ]);
    expect(await linesOf(metrics, "errors")).toEqual([
      'landline_errors_total{code="ask-not-found"} 3',
    ]);
    expect(await linesOf(metrics, "commands")).toEqual([
      String.raw`landline_commands_total{type="odd \"label\"\n\\"} 1`,
    ]);
  });

  it("export durations in seconds with cumulative buckets", async () => {
    const metrics = createMetrics();
    for (const waitMs of [500, 1_000, 1_001, 90_000_000]) metrics.askWaits.observe(waitMs);
    const lines = await linesOf(metrics, "ask_wait");
    expect(lines.slice(0, 2)).toEqual([
      'landline_ask_wait_seconds_bucket{le="1"} 2',
      'landline_ask_wait_seconds_bucket{le="5"} 3',
    ]);
    expect(lines.slice(-4)).toEqual([
      'landline_ask_wait_seconds_bucket{le="86400"} 3',
      'landline_ask_wait_seconds_bucket{le="+Inf"} 4',
      "landline_ask_wait_seconds_sum 90002.501",
      "landline_ask_wait_seconds_count 4",
    ]);
  });

  it("continue after they were rendered", async () => {
    const metrics = createMetrics();
    await metrics.render();
    metrics.turnsStarted.add();
    metrics.turnsEnded.add("end_turn");
    expect(await linesOf(metrics, "turns")).toEqual([
      "landline_turns_started_total 1",
      'landline_turns_ended_total{outcome="end_turn"} 1',
    ]);
  });

  it("of two gateways are independent", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.turnsStarted.add();
    expect(await linesOf(other, "turns_started")).toEqual(["landline_turns_started_total 0"]);
    expect(await linesOf(one, "turns_started")).toEqual(["landline_turns_started_total 1"]);
  });

  it("have a bounded number of label values", () => {
    const counter = new LabelledCounter("agent", 200);
    for (let index = 0; index < 1_000; index += 1) counter.add(`agent-${index}`);
    counter.add("agent-0");
    const samples = counter.samples();
    expect(samples).toHaveLength(201);
    expect(samples[0]).toEqual({ labels: { agent: "agent-0" }, value: 2 });
    expect(samples.at(-1)).toEqual({ labels: { agent: "other" }, value: 800 });
  });

  it("load prom-client only when rendered, and pino only for the first line", () => {
    const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
    const program = `
      import { createRequire } from "node:module";
      import { createMetrics } from ${url("metrics.ts")};
      import { createLogger } from ${url("logger.ts")};
      const { cache } = createRequire(${url("metrics.ts")});
      const loaded = (name) => Object.keys(cache).some((path) => path.includes("/node_modules/" + name + "/"));
      const metrics = createMetrics();
      const logger = createLogger({ level: "info" });
      metrics.turnsStarted.add();
      logger.debug("nothing");
      const before = [loaded("prom-client"), loaded("pino")];
      await metrics.render();
      logger.info("something");
      console.log(JSON.stringify([before, [loaded("prom-client"), loaded("pino")]]));
    `;
    const run = spawnSync(
      process.execPath,
      ["--conditions=@landline/source", "--input-type=module", "--eval", program],
      { encoding: "utf8" },
    );
    expect(JSON.parse(run.stdout)).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});
