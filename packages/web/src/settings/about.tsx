import { useConnection } from "@landline/client/react";
import { ShortcutTable } from "../app/shortcut-list.tsx";
import { useMe } from "../state/session.tsx";
import { roleText } from "./role-text.ts";

export function About() {
  const me = useMe();
  const { via } = useConnection();
  const facts = [
    ["Version", me?.version ?? "…"],
    ["Started in", me?.cwd ?? "…"],
    [
      "Connected by",
      via === "sse" ? "server-sent events" : via === "websocket" ? "WebSocket" : "nothing",
    ],
    ["This browser", roleText[me?.role ?? "watch"].toLowerCase()],
  ] as const;
  return (
    <div className="flex flex-col gap-10">
      <section aria-label="About" className="flex flex-col gap-3 text-sm">
        <p className="text-base">
          Landline runs coding agents that speak the Agent Client Protocol, keeps every event in a
          durable log, and lets many clients attach.
        </p>
        <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-soft">{name}</dt>
              <dd className="[overflow-wrap:anywhere]">{value}</dd>
            </div>
          ))}
        </dl>
        <p>
          The API is described in <code className="font-mono">api/openapi.json</code>, which needs a
          token like the rest of the API. The documentation is in the folder{" "}
          <code className="font-mono">docs</code> beside the source;{" "}
          <code className="font-mono">npx landline --help</code> lists the commands.
        </p>
      </section>
      <section aria-label="Keyboard shortcuts">
        <h2 className="mb-3 font-semibold">Keyboard shortcuts</h2>
        <ShortcutTable />
      </section>
    </div>
  );
}
