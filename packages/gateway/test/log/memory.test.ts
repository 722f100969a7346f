import { describe } from "vitest";
import { logContract } from "./log.contract.ts";
import { memoryLogs } from "./memory.ts";

describe("logs in memory", () => {
  logContract(async (options) => {
    const logs = memoryLogs(options);
    return { logs, dispose: () => logs.close() };
  });
});
