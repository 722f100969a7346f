import { describe, expect, it } from "vitest";
import { dataFolder, isSessionId, sessionOfFile } from "./session-paths.ts";

describe("the data folder", () => {
  it.each([
    [{ LANDLINE_AGENT_DATA: "/own", XDG_DATA_HOME: "/xdg", HOME: "/home/u" }, "/own"],
    [{ XDG_DATA_HOME: "/xdg", HOME: "/home/u" }, "/xdg/landline/agent"],
    [{ XDG_DATA_HOME: "relative", HOME: "/home/u" }, "/home/u/.local/share/landline/agent"],
    [{ LANDLINE_AGENT_DATA: "", HOME: "/home/u" }, "/home/u/.local/share/landline/agent"],
  ])("of %j is %s", (environment, folder) => {
    expect(dataFolder(environment, "linux")).toBe(folder);
  });
});

describe("session ids", () => {
  it("are generated ids, or at least not path components", () => {
    const id = "0199a0b2-7c1e-7000-8000-0123456789ab";
    expect(isSessionId(id)).toBe(true);
    for (const other of ["", "..", `../${id}`, `${id}/x`, `${id}\n`, id.toUpperCase(), `${id}\0`]) {
      expect(isSessionId(other)).toBe(false);
    }
    expect(sessionOfFile(`${id}.jsonl`)).toBe(id);
    expect(sessionOfFile(`${id}.jsonl.part`)).toBeNull();
    expect(sessionOfFile("index.json")).toBeNull();
  });
});
