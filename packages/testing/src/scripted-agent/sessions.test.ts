import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "./agent-process.ts";
import { SessionStore } from "./sessions.ts";

test("titles and dates of sessions are stored", () => {
  const folder = scratchFolder("stored");
  const store = new SessionStore([], folder);
  const session = store.create("/repo");
  session.title = "Named";
  store.remember(session, { sessionUpdate: "session_info_update", title: "Named" });
  const [file = ""] = readdirSync(folder);
  utimesSync(join(folder, file), 0, 86_400);
  expect(new SessionStore([], folder).all()).toMatchObject([
    { id: session.id, cwd: "/repo", title: "Named", updatedAt: "1970-01-02T00:00:00.000Z" },
  ]);
});
