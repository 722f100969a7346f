import type { Blobs } from "./blobs.ts";
import type { LogChunk } from "./log.ts";

/** Where the lines of one session are kept: the part in which files and memory differ. */
export interface Lines {
  /** The number of the last line that is kept. */
  readonly head: number;
  readonly blobs: Blobs;
  /** Keeps the chunk, whole or not at all. */
  write(chunk: LogChunk): void;
  reader(after: number): LineReader;
  /** What was written before the call survives a power cut when it resolves. */
  sync(): Promise<void>;
  blob(hash: string): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface LineReader {
  /** The next bounded run of lines, none of them beyond number `upTo`; null when that was reached. */
  next(upTo: number): Promise<LogChunk | null>;
  close(): void;
}

/** All sessions' lines: what a data folder, or a process's memory, holds. */
export interface Storage {
  list(): Promise<string[]>;
  create(sessionId: string): Promise<Lines>;
  open(sessionId: string): Promise<Lines>;
  delete(sessionId: string): Promise<void>;
  size(sessionId: string): Promise<{ bytes: number; lastAt: number }>;
}
