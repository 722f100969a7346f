import type { Readable, Writable } from "node:stream";
import { StreamOutput } from "./output.ts";
import { Player } from "./player.ts";
import type { Scenario } from "./scenario.ts";
import { SessionStore } from "./sessions.ts";
import { writeStderr } from "./stderr.ts";
import type { Host } from "./step-context.ts";

export interface ScenarioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Defaults to the stderr and environment of this process; a crash then closes the output. */
  readonly host?: Host;
  /** Shared by the connections of one agent. */
  readonly sessions?: SessionStore;
}

export interface Playing {
  /** Resolves when the input has ended. */
  readonly ended: Promise<void>;
  /** Whether a turn is running. */
  readonly busy: boolean;
  /** Resolves when all output so far was written. */
  flushed(): Promise<void>;
  /** Stops every turn without further output. */
  stop(): void;
}

/** Plays a scenario as an agent on two streams: NDJSON in, NDJSON out. */
export function playScenario(scenario: Scenario, streams: ScenarioStreams): Playing {
  const gone = new AbortController();
  const output = new StreamOutput(streams.output);
  const host = streams.host ?? ownHost(streams, gone);
  const store = streams.sessions ?? new SessionStore(scenario.session?.ids, scenario.state);
  const player = new Player(scenario, { output, host, store }, gone.signal);
  // The reader has closed the stream.
  streams.output.on("error", () => {
    gone.abort();
  });
  return {
    ended: player.read(streams.input),
    get busy() {
      return player.turns.busy;
    },
    flushed: () => output.flushed(),
    stop: () => {
      gone.abort();
    },
  };
}

function ownHost(streams: ScenarioStreams, gone: AbortController): Host {
  return {
    environment: process.env,
    writeStderr,
    exit: () => {
      gone.abort();
      streams.output.destroy();
    },
  };
}
