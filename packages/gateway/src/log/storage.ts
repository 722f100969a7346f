import type { Blobs } from "./blobs.ts";
import type { LogChunk } from "./log.ts";

/** Storage for the lines of one session: the part that differs between files and memory. */
export interface Lines {
  /** The sequence number of the last stored line. */
  readonly head: number;
  readonly blobs: Blobs;
  /** Stores the whole chunk, or throws and stores nothing. */
  write(chunk: LogChunk): void;
  reader(after: number): LineReader;
  /** When it resolves, everything written before the call survives a power failure. */
  sync(): Promise<void>;
  blob(hash: string): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface LineReader {
  /** The next lines, up to a size limit and not beyond `upTo`; null after `upTo` was read. */
  next(upTo: number): Promise<LogChunk | null>;
  close(): void;
}

/** Storage for the lines of all sessions. */
export interface Storage {
  list(): Promise<string[]>;
  create(sessionId: string): Promise<Lines>;
  open(sessionId: string): Promise<Lines>;
  delete(sessionId: string): Promise<void>;
  size(sessionId: string): Promise<{ bytes: number; lastAt: number }>;
}
