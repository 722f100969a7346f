import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { AgentConnection } from "../packages/gateway/src/acp-connection/connection.ts";
import { EventLog } from "../packages/gateway/src/log/event-log.ts";
import { fileLogs } from "../packages/gateway/src/log/file-logs.ts";
import type { Lines } from "../packages/gateway/src/log/storage.ts";
import type { SessionLog, UpdateDraft } from "../packages/gateway/src/log/log.ts";
import { cpuRatio, figureOf, startMeter, type Figure, type Suite } from "./figure.ts";
import { startCountingClient, startLoadAgent } from "./helper-processes.ts";

const COUNT = 100_000;
const UNSENT_BYTES_MAX = 1_048_576;

/** A log that stores nothing: events get numbers and lines, which are discarded. */
function nowhere(): Lines {
  let head = 0;
  return {
    get head() {
      return head;
    },
    blobs: { put: () => "" },
    write: (chunk) => {
      head = chunk.last;
    },
    reader: () => ({ next: async () => null, close: () => {} }),
    sync: async () => {},
    blob: async () => null,
    close: async () => {},
  };
}

/** Agent → connection → log → socket, as in the gateway: one append and one write per read. */
async function wholePath(log: SessionLog, ...load: string[]): Promise<Figure> {
  const { agent, go } = await startLoadAgent(...load);
  const { socket, counted } = await startCountingClient();
  const closed = Promise.withResolvers<void>();
  const appendMs: number[] = [];
  let drafts: UpdateDraft[] = [];
  const ignore = () => {};
  const meter = startMeter();
  const sent = Promise.withResolvers<void>();
  let sendMs = 0;
  const tail = log.tail(0, {
    write: (chunk) => {
      const startedAt = performance.now();
      socket.write(chunk.bytes);
      sendMs += performance.now() - startedAt;
      if (chunk.last === COUNT) sent.resolve();
      return socket.writableLength < UNSENT_BYTES_MAX;
    },
    end: ignore,
  });
  socket.on("drain", () => tail.resume());
  void new AgentConnection(agent.stdout, agent.stdin, {
    update: ({ raw }) => drafts.push({ kind: "update", raw }),
    notification: ignore,
    request: ignore,
    noise: ignore,
    flush: () => {
      if (drafts.length === 0) return;
      const startedAt = performance.now();
      sendMs = 0;
      log.append(drafts);
      // The tail sends within the append; that time belongs to the socket.
      appendMs.push(performance.now() - startedAt - sendMs);
      drafts = [];
    },
    closed: () => closed.resolve(),
  });
  go();
  await closed.promise;
  await sent.promise;
  socket.end();
  const { events, gaps } = await counted;
  const figure = meter.stop(COUNT, gaps + Math.abs(COUNT - events));
  // The first fifth is warm-up.
  const warm = appendMs.slice(Math.floor(appendMs.length / 5)).sort((a, b) => a - b);
  return { ...figure, appendP99Ms: warm[Math.floor(warm.length * 0.99)] ?? 0 };
}

async function withFiles(durability: "process" | "disk", ...load: string[]): Promise<Figure> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-bench-"));
  const logs = fileLogs(folder, { durability });
  try {
    return await wholePath(await logs.create("bench"), ...load);
  } finally {
    await logs.close();
    await fs.rm(folder, { recursive: true, force: true });
  }
}

const burst = ["lines", String(COUNT), "plain", "60000"];
const single = ["lines", String(COUNT), "plain", "1"];

export const logPath: Suite = {
  name: "log-path",
  about: `agent → connection → log → a counting socket, ${COUNT} events`,
  variants: {
    "no log": () => wholePath(new EventLog("bench", nowhere()), ...burst),
    "file log": () => withFiles("process", ...burst),
    "file log, group sync": () => withFiles("disk", ...burst),
    "no log, one write per line": () => wholePath(new EventLog("bench", nowhere()), ...single),
    "file log, one write per line": () => withFiles("process", ...single),
  },
  claims: [
    {
      text: "file log ÷ no log, CPU (target 5)",
      value: (figures) => cpuRatio(figures, "file log", "no log"),
      atMost: 1.2,
    },
    {
      text: "group sync ÷ no log, CPU (target 5)",
      value: (figures) => cpuRatio(figures, "file log, group sync", "no log"),
      atMost: 1.35,
    },
    {
      text: "file log ÷ no log, one write per line, CPU",
      value: (figures) =>
        cpuRatio(figures, "file log, one write per line", "no log, one write per line"),
    },
    {
      text: "append, p99, ms (target 5)",
      value: (figures) => figureOf(figures, "file log").appendP99Ms ?? 0,
      atMost: 1,
    },
    {
      text: "append with group sync, p99, ms (target 5)",
      value: (figures) => figureOf(figures, "file log, group sync").appendP99Ms ?? 0,
      atMost: 1,
    },
  ],
};
