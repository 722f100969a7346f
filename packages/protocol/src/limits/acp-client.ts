import type { LimitRow } from "./row.ts";

const KiB = 1_024;
const MiB = 1_024 * KiB;
const SECOND = 1_000;

/** Terminals that the gateway runs for agents. (Limits of files are in the rows of seed 003.) */
export const acpClientRows = {
  terminalsOpen: {
    unit: "count",
    default: 128,
    spec: 128,
    consequence: "A further terminal of that session is refused with rate-limited.",
  },
  terminalBytes: {
    unit: "bytes",
    default: 1 * MiB,
    spec: 1 * MiB,
    consequence:
      "The oldest output is dropped and the output is marked as truncated, unless the agent set outputByteLimit.",
  },
  terminalBytesMax: {
    unit: "bytes",
    default: 4 * MiB,
    spec: 4 * MiB,
    consequence: "An outputByteLimit beyond it counts as this much.",
  },
  terminalEnvironmentBytes: {
    unit: "bytes",
    default: 128 * KiB,
    spec: 128 * KiB,
    consequence:
      "A longer command with its arguments and environment is refused with invalid-params.",
  },
  terminalMs: {
    unit: "milliseconds",
    default: null,
    spec: null,
    consequence: "The command is killed, and pending requests for it fail with tool-timeout.",
  },
  terminalKillMs: {
    unit: "milliseconds",
    default: 2 * SECOND,
    spec: 2 * SECOND,
    consequence: "What still runs after SIGTERM gets SIGKILL, with its whole process group.",
  },
  terminalDrainMs: {
    unit: "milliseconds",
    default: 1 * SECOND,
    spec: 1 * SECOND,
    consequence:
      "The exit is reported although a process that the command left behind holds its output open.",
  },
  editorTerminalMs: {
    unit: "milliseconds",
    default: 30 * SECOND,
    spec: 30 * SECOND,
    consequence:
      "An editor that has not opened a terminal, or not reported its output: the terminal fails with connection-lost, and the editor is not asked again until a person uses it.",
  },
  terminalEventMs: {
    unit: "milliseconds",
    default: 50,
    spec: 50,
    consequence: "Output within this time of the first is written to the log as one event.",
  },
  terminalBurstBytes: {
    unit: "bytes",
    default: 4 * MiB,
    spec: 4 * MiB,
    consequence: "No more is read from the terminal until terminalEventMs have passed.",
  },
  terminalLogBytes: {
    unit: "bytes",
    default: 1 * MiB,
    spec: 1 * MiB,
    consequence:
      "Further output stays out of the log; a note says so, and its end follows when the command ends.",
  },
  terminalLogTailBytes: {
    unit: "bytes",
    default: 64 * KiB,
    spec: 64 * KiB,
    consequence: "Of output that was omitted from the log, only this much of its end is added.",
  },
} as const satisfies Record<string, LimitRow>;
