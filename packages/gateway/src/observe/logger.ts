import { createRequire } from "node:module";
import type { Writable } from "node:stream";
import { limitsOf, type Limits } from "@landline/protocol";
import type * as Pino from "pino";
import { maskSecrets, maskText } from "./mask.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** What a line says beside its words: ids, counts, an error. Secrets in it are masked. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The gateway's own log: one JSON object a line, on stderr. Never throws and never waits: when nobody reads
 * stderr, lines are dropped past a bound.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** One that says these on every line: `{ sessionId }`, `{ requestId }`. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Where the lines go: stderr unless told. */
  readonly stream?: Writable;
  /** For people at a terminal: the time, the level and the words, then the fields. */
  readonly pretty?: boolean;
  readonly limits?: Limits;
}

const ranks = { debug: 20, info: 30, warn: 40, error: 50, silent: Infinity } as const;

export function createLogger(options: LoggerOptions): Logger {
  const write = options.pretty === true ? prettyWriter(options.stream) : jsonWriter(options);
  return loggerWith(write, ranks[options.level], {});
}

type Level = Exclude<LogLevel, "silent">;
type Write = (level: Level, message: string, fields: LogFields) => void;

function loggerWith(write: Write, least: number, own: LogFields): Logger {
  const at =
    (level: Level) =>
    (message: string, fields?: LogFields): void => {
      if (ranks[level] < least) return;
      write(level, maskText(message), readable(own, fields));
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => loggerWith(write, least, { ...own, ...fields }),
  };
}

/** A field that can't be read (a getter that throws) must not cost the line. */
function readable(own: LogFields, fields: LogFields | undefined): LogFields {
  try {
    return maskSecrets({ ...own, ...fields }) as LogFields;
  } catch {
    return { unreadable: true };
  }
}

/** pino takes 20 ms to load: it is, when there is something to say. */
function jsonWriter(options: LoggerOptions): Write {
  let loaded: Pino.Logger | undefined;
  return (level, message, fields) => {
    loaded ??= loadPino(options);
    loaded[level](fields, message);
  };
}

function loadPino({ level, stream, limits = limitsOf("default") }: LoggerOptions): Pino.Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof Pino;
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    stream ?? pino.destination({ dest: 2, sync: false, maxLength: limits.logUnwrittenBytes }),
  );
}

function prettyWriter(stream: Writable = process.stderr): Write {
  return (level, message, fields) => {
    const words = Object.entries(fields).map(([name, value]) => `${name}=${inWords(value)}`);
    const time = new Date().toISOString().slice(11, 19);
    stream.write(`${[time, level.padEnd(5), message, ...words].join(" ")}\n`);
  };
}

function inWords(value: unknown): string {
  if (typeof value === "string" && /^[\w./:@-]+$/.test(value)) return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "[unreadable]";
  }
}
