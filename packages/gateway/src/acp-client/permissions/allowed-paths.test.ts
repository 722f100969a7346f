import { limitsOf } from "@landline/protocol";
import { expect, test } from "vitest";
import { AllowedPaths } from "./allowed-paths.ts";
import type { SessionContext } from "../session-context.ts";

function allowedPaths(limits = {}): AllowedPaths {
  const context: SessionContext = {
    sessionId: "session",
    agent: "agent",
    cwd: "/repo",
    roots: ["/repo"],
    limits: limitsOf("default", limits),
    record: () => {},
  };
  return new AllowedPaths(context);
}

const edit = (...paths: string[]) => ({
  toolCallId: "call",
  kind: "edit" as const,
  locations: paths.map((path) => ({ path })),
});
const written = (allowed: AllowedPaths, path: string) => allowed.askFor("write", path, path);

test("finds the request whose call names the path, however it is written", () => {
  const allowed = allowedPaths();
  allowed.note("one", edit("/repo/a.txt", "b.txt"));
  expect(written(allowed, "/repo/a.txt")).toBe("one");
  expect(written(allowed, "/repo/a.txt")).toBe("one");
  expect(written(allowed, "./b.txt")).toBe("one");
  expect(allowed.askFor("write", "/link/b.txt", "/repo/b.txt")).toBe("one");
  expect(written(allowed, "/repo/c.txt")).toBeNull();
});

test("a diff and the input name paths too", () => {
  const allowed = allowedPaths();
  const content = [{ type: "diff" as const, path: "/repo/a.txt", newText: "" }];
  allowed.note("one", { toolCallId: "call", kind: "edit", content });
  allowed.note("two", { toolCallId: "call", rawInput: { file_path: "/repo/b.txt" } });
  expect(written(allowed, "/repo/a.txt")).toBe("one");
  expect(written(allowed, "/repo/b.txt")).toBe("two");
});

test("a permission to read is not one to write, and vice versa", () => {
  const allowed = allowedPaths();
  allowed.note("one", { ...edit("/repo/a.txt"), kind: "read" });
  allowed.note("two", edit("/repo/b.txt"));
  allowed.note("three", { ...edit("/repo/c.txt"), kind: "execute" });
  expect(written(allowed, "/repo/a.txt")).toBeNull();
  expect(allowed.askFor("read", "/repo/a.txt", "/repo/a.txt")).toBe("one");
  expect(allowed.askFor("read", "/repo/b.txt", "/repo/b.txt")).toBeNull();
  expect(written(allowed, "/repo/c.txt")).toBeNull();
});

test("of two possible requests none is named; of successive ones, the latest", () => {
  const allowed = allowedPaths();
  allowed.note("one", edit("/repo/a.txt"));
  expect(written(allowed, "/repo/a.txt")).toBe("one");
  allowed.note("two", edit("/repo/a.txt"));
  expect(written(allowed, "/repo/a.txt")).toBe("two");
  allowed.note("three", edit("/repo/a.txt"));
  allowed.note("four", edit("/repo/a.txt"));
  expect(written(allowed, "/repo/a.txt")).toBeNull();
});

test("the end of the turn removes them, and the oldest are removed earlier", () => {
  const allowed = allowedPaths({ asksRemembered: 2 });
  allowed.note("one", edit("/repo/a.txt", "/repo/b.txt", "/repo/c.txt"));
  expect(written(allowed, "/repo/a.txt")).toBeNull();
  expect(written(allowed, "/repo/c.txt")).toBe("one");
  allowed.endTurn();
  expect(written(allowed, "/repo/c.txt")).toBeNull();
});
