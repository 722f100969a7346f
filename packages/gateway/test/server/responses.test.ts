import { routeOf, type HttpOperationName } from "@landline/protocol";
import { contracts } from "@landline/protocol/operations";
import { expect, test } from "vitest";
import { House, turn, Watcher } from "../sessions/house.ts";

const steps = [
  { tool: { toolCallId: "1", title: "ls", kind: "execute", rawInput: { command: "ls" } } },
  { toolUpdate: { toolCallId: "1", status: "completed" } },
  { say: "done with it" },
];

/** What is read of a session that has had a turn. A field that its schema does not have would be missing after parsing. */
test("responses of a real gateway are what their schemas say", async () => {
  await using house = await House.open({ agent: { turns: [{ steps }] } });
  const session = await house.openSession("agent");
  using watcher = new Watcher(session);
  await turn(session, watcher, "go");
  const fields: Readonly<Record<string, string>> = { sessionId: session.id };
  const queries: Partial<Record<HttpOperationName, string>> = { search: "?q=done" };
  const names = [
    "health",
    "read-features",
    "read-me",
    "list-agents",
    "list-sessions",
    "read-session",
    "read-events",
    "read-trace",
    "export",
    "search",
    "audit",
    "list-rules",
    "list-devices",
    "list-folders",
  ] as const satisfies readonly HttpOperationName[];
  for (const name of names) {
    const { method, path } = routeOf(name);
    const filled = path.replaceAll(/:(\w+)/g, (_, field: string) => fields[field] ?? "");
    const answer = await fetch(new URL(`${filled}${queries[name] ?? ""}`, house.gateway.url), {
      method,
      headers: { authorization: `Bearer ${house.gateway.token}`, accept: "application/json" },
    });
    const json: unknown = await answer.json();
    expect([name, contracts[name].output.parse(json)]).toEqual([name, json]);
  }
}, 60_000);
