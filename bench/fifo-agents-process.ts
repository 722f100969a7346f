import {
  createReadStream,
  createWriteStream,
  readdirSync,
  rmSync,
  type WriteStream,
} from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import type { Load } from "./load.ts";
import { chunk, MarkedLines } from "./marked-lines.ts";
import { SESSION } from "./traffic.ts";

/**
 * Hundreds of agents in one process. A system starts a shell with `cat` as its agent, which forwards its input and
 * output through two pipes in a folder; this process finds the folders. So two hundred agents do not need two hundred
 * runtimes. Argument: the folder.
 */
const [root = ""] = process.argv.slice(2);
const FIND_MS = 20;

type Paced = Extract<Load, { kind: "paced" }>;

const known = new Set<string>();
const paced = new Set<Member>();

class Member {
  readonly #out: WriteStream;
  readonly #lines: MarkedLines;
  #load: Paced | null = null;
  #promptId: unknown = null;
  #startedAt = 0;
  #written = 0;

  constructor(folder: string) {
    this.#out = createWriteStream(path.join(folder, "out"));
    this.#out.on("error", () => paced.delete(this));
    // A copy, because the stream may still hold it while the next one is created.
    this.#lines = new MarkedLines(chunk, 1, (bytes) => this.#out.write(Buffer.from(bytes)));
    const lines = createInterface(createReadStream(path.join(folder, "in")));
    lines.on("line", (line) => this.#receive(JSON.parse(line) as Received));
    lines.on("close", () => this.#out.end());
  }

  /** Writes the events that are due. */
  tick(now: number): void {
    const load = this.#load;
    if (!load) return;
    const due = Math.min(load.count, ((now - this.#startedAt) * load.perSecond) / 1_000);
    while (this.#written < due) this.#lines.write(this.#written++, 1);
    if (this.#written < load.count) return;
    paced.delete(this);
    this.#load = null;
    this.#answer(this.#promptId, { stopReason: "end_turn" });
  }

  #receive({ id, method, params }: Received): void {
    if (method === "session/prompt") {
      this.#load = JSON.parse(params?.prompt?.at(-1)?.text ?? "") as Paced;
      this.#promptId = id;
      this.#written = 0;
      // Starts at different times, because real agents are not synchronized.
      this.#startedAt = performance.now() + Math.random() * (1_000 / this.#load.perSecond);
      paced.add(this);
      return;
    }
    if (id === undefined) return;
    const results: Record<string, object> = {
      initialize: { protocolVersion: 1, agentCapabilities: {} },
      "session/new": { sessionId: SESSION },
    };
    this.#answer(id, results[method ?? ""] ?? {});
  }

  #answer(id: unknown, result: object): void {
    this.#out.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
}

interface Received {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

setInterval(() => {
  for (const name of readdirSync(root)) {
    if (known.has(name) || !name.endsWith(".ready")) continue;
    known.add(name);
    rmSync(path.join(root, name));
    void new Member(path.join(root, path.basename(name, ".ready")));
  }
}, FIND_MS);
setInterval(() => {
  const now = performance.now();
  for (const member of paced) member.tick(now);
}, 1);
console.log("{}");
