import { createRequire } from "node:module";
import type { Writable } from "node:stream";
import { limitsOf, type Limits } from "@landline/protocol";
import type * as Pino from "pino";
import { maskSecrets, maskText } from "./mask-secrets.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Structured fields of a line: ids, counts, an error. Secrets are masked, undefined values omitted. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The gateway's own log: one JSON object per line, on stderr. Never throws or blocks; drops lines if stderr is not read.
 * Buffers lines for up to `logHeldMs`, until a warning, an error or the exit. A killed process loses its buffer.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line: `{ sessionId }`, `{ requestId }`. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Defaults to stderr. */
  readonly stream?: Writable;
  /** Text for a terminal instead of JSON: time, level, message, fields. */
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

/** A field that can't be read (a getter that throws) must not lose the line. */
function readable(own: LogFields, fields: LogFields | undefined): LogFields {
  try {
    return maskSecrets({ ...own, ...fields }) as LogFields;
  } catch {
    return { unreadable: true };
  }
}

/** pino takes 20 ms to load, so it is loaded for the first line. */
function jsonWriter(options: LoggerOptions): Write {
  let loaded: { readonly pino: Pino.Logger; flush(level: Level): void } | undefined;
  return (level, message, fields) => {
    try {
      loaded ??= loadPino(options);
    } catch {
      // For example without free file descriptors. The next line tries again.
      writePlainly(options.stream, level, message, fields);
      return;
    }
    loaded.pino[level](fields, message);
    loaded.flush(level);
  };
}

function writePlainly(
  stream: Writable = process.stderr,
  ...[level, message, fields]: Parameters<Write>
): void {
  const time = new Date().toISOString();
  const words = Object.entries(fields).map(([name, value]) => [name, inWords(value)] as const);
  stream.write(`${JSON.stringify({ level, time, ...Object.fromEntries(words), message })}\n`);
}

function loadPino({ level, stream, limits = limitsOf("default") }: LoggerOptions) {
  const { pino } = createRequire(import.meta.url)("pino") as typeof Pino;
  const settings = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: "message",
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (stream) return { pino: pino(settings, stream), flush: () => {} };
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: limits.logHeldBytes,
    maxLength: limits.logUnwrittenBytes,
  });
  return { pino: pino(settings, destination), flush: flusher(destination, limits.logHeldMs) };
}

interface Destination {
  /** Does nothing during a write. */
  flush(): void;
  /** `drain`: a write is complete. */
  on(event: "drain", listener: () => void): unknown;
}

function flusher(destination: Destination, heldMs: number): (level: Level) => void {
  let timer: NodeJS.Timeout | null = null;
  // A flush may have been called during a write: it is repeated after it.
  let isFlushDue = false;
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    isFlushDue = true;
    destination.flush();
  };
  destination.on("drain", () => {
    if (isFlushDue) destination.flush();
    isFlushDue = false;
  });
  return (level) => {
    if (ranks[level] >= ranks.warn) flush();
    else timer ??= setTimeout(flush, heldMs).unref();
  };
}

function prettyWriter(stream: Writable = process.stderr): Write {
  return (level, message, fields) => {
    const words = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${inWords(value)}`],
    );
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
