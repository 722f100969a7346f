import { parentPort, workerData } from "node:worker_threads";
import { LogFollower } from "../log/log-follower.ts";
import { joinIndexDatabase } from "./index-database.ts";
import {
  toPlainError,
  type FromIndexThread,
  type IndexRequest,
  type IndexThreadData,
  type ToIndexThread,
} from "./index-messages.ts";
import { Indexer } from "./indexer.ts";

/** The entry point of the index thread. It reads the logs up to the reported heads. */
const port = parentPort;
if (!port) throw new Error("This file is started as a thread by index-thread.ts.");
const { logs: folder, database, limits } = workerData as IndexThreadData;
const tell = (message: FromIndexThread) => port.postMessage(message);
const indexDatabase = joinIndexDatabase(database, { limits });
const logs = new LogFollower(folder, limits);
const indexer = new Indexer({
  indexDatabase,
  logs,
  limits,
  onProblem: (problem) => tell({ type: "problem", problem: toPlainError(problem) }),
});

port.on("message", (message: ToIndexThread) => {
  switch (message.type) {
    case "grown":
      for (const [sessionId, head] of message.heads) indexer.follow(logs.advance(sessionId, head));
      break;
    case "request":
      void answer(message.id, message.request);
      break;
    case "close":
      void close();
      break;
    default:
  }
});

async function answer(id: number, request: IndexRequest): Promise<void> {
  try {
    await handle(request);
    tell({ type: "done", id, failure: null });
  } catch (error) {
    tell({ type: "done", id, failure: toPlainError(error) });
  }
}

async function handle(request: IndexRequest): Promise<void> {
  switch (request.type) {
    case "catch-up":
      for (const [sessionId, head] of request.heads) logs.advance(sessionId, head);
      return indexer.catchUp(request.heads.map(([sessionId]) => sessionId));
    case "delete":
      logs.forget(request.sessionId);
      return indexer.delete(request.sessionId);
    case "flush":
      return indexer.flush();
    default:
  }
}

async function close(): Promise<void> {
  await indexer.close();
  indexDatabase.close();
  port?.close();
}
