export type {
  SessionLog,
  Logs,
  LogChunk,
  EventDraft,
  UpdateDraft,
  TailSink,
  Tail,
  LogSize,
} from "./log/log.ts";
