import { once } from "node:events";
import { AgentConnection } from "../packages/gateway/src/acp-connection/connection.ts";
import { cpuRatio, startMeter, type Figure, type Suite } from "./figure.ts";
import { startLoadAgent } from "./helper-processes.ts";

const COUNT = 100_000;

/** The minimum cost of reading a pipe: split into lines and parse each one. */
export async function barePipe(count: number, ...load: string[]): Promise<Figure> {
  const { agent, go } = await startLoadAgent(...load);
  let rest = "";
  let events = 0;
  const meter = startMeter();
  go();
  agent.stdout.setEncoding("utf8").on("data", (text: string) => {
    const block = rest + text;
    let start = 0;
    for (let end = block.indexOf("\n"); end !== -1; end = block.indexOf("\n", start)) {
      if (end > start && typeof JSON.parse(block.slice(start, end)) === "object") events++;
      start = end + 1;
    }
    rest = block.slice(start);
  });
  await once(agent, "close");
  return meter.stop(count, Math.abs(count - events));
}

async function throughConnection(count: number, ...load: string[]): Promise<Figure> {
  const { agent, go } = await startLoadAgent(...load);
  let events = 0;
  const closed = Promise.withResolvers<void>();
  const ignore = () => {};
  const meter = startMeter();
  void new AgentConnection(agent.stdout, agent.stdin, {
    update: () => events++,
    notification: ignore,
    request: ignore,
    noise: ignore,
    flush: ignore,
    closed: () => closed.resolve(),
  });
  go();
  await closed.promise;
  return meter.stop(count, Math.abs(count - events));
}

/** The minimum cost for one long line: one concat and one parse. */
async function oneConcat(...load: string[]): Promise<Figure> {
  const { agent, go } = await startLoadAgent(...load);
  const pieces: Buffer[] = [];
  const meter = startMeter();
  go();
  agent.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  await once(agent, "close");
  const parsed: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  return meter.stop(1, typeof parsed === "object" ? 0 : 1);
}

const lines = (traffic: string, block: number) => ["lines", String(COUNT), traffic, String(block)];

export const pipe: Suite = {
  name: "pipe",
  about: `reading ${COUNT} update lines of a child process`,
  variants: {
    "bare pipe + JSON.parse": () => barePipe(COUNT, ...lines("plain", 60_000)),
    connection: () => throughConnection(COUNT, ...lines("plain", 60_000)),
    "bare pipe + JSON.parse, mixed": () => barePipe(COUNT, ...lines("mixed", 60_000)),
    "connection, mixed": () => throughConnection(COUNT, ...lines("mixed", 60_000)),
    "bare pipe + JSON.parse, one write per line": () => barePipe(COUNT, ...lines("plain", 1)),
    "connection, one write per line": () => throughConnection(COUNT, ...lines("plain", 1)),
  },
  claims: [
    {
      text: "connection ÷ bare pipe, CPU",
      value: (figures) => cpuRatio(figures, "connection", "bare pipe + JSON.parse"),
      atMost: 1.5,
    },
    {
      text: "… mixed traffic",
      value: (figures) => cpuRatio(figures, "connection, mixed", "bare pipe + JSON.parse, mixed"),
      atMost: 1.5,
    },
    {
      text: "… one write per line",
      value: (figures) =>
        cpuRatio(
          figures,
          "connection, one write per line",
          "bare pipe + JSON.parse, one write per line",
        ),
      atMost: 1.5,
    },
  ],
};

const MB = 1_000_000;
const long = (bytes: number) => ["one-line", String(bytes), "plain", "65536"];

export const bigLines: Suite = {
  name: "big-lines",
  about: "one long line in pieces of 64 KiB",
  variants: {
    "one concat + JSON.parse, 10 MB": () => oneConcat(...long(10 * MB)),
    "connection, 10 MB": () => throughConnection(1, ...long(10 * MB)),
    "connection, 20 MB": () => throughConnection(1, ...long(20 * MB)),
  },
  claims: [
    {
      text: "connection ÷ one concat + JSON.parse, CPU, 10 MB (target 8)",
      value: (figures) => cpuRatio(figures, "connection, 10 MB", "one concat + JSON.parse, 10 MB"),
      atMost: 2,
    },
    {
      text: "20 MB ÷ 10 MB, CPU (target 8)",
      value: (figures) => cpuRatio(figures, "connection, 20 MB", "connection, 10 MB"),
      atMost: 2.2,
    },
  ],
};
