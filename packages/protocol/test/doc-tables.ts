import { z } from "zod";
import { toBridge } from "../src/compat/dialects/bridge.ts";
import { toCodeopen } from "../src/compat/dialects/codeopen.ts";
import { errorCodes, errorRow } from "../src/errors.ts";
import type { SessionEvent } from "../src/events.ts";
import { limitConsequence, type LimitName, limitNames, limitRow } from "../src/limits.ts";
import { contracts } from "../src/operations.ts";
import { operationNames, rowOf } from "../src/operations/table.ts";
import { eventOf, sampleBodies, sampleUpdates, updateEvent } from "./sample-events.ts";

/** The tables of the documentation, generated from the code: rows of cells, header first. */
export type Table = readonly (readonly string[])[];

export function errorTable(): Table {
  const rows = errorCodes.map((code) => {
    const { rpc, http, seed, transient = "", message, help } = errorRow(code);
    return [
      `\`${code}\``,
      String(rpc),
      String(http),
      seed === undefined ? "" : String(seed),
      transient,
      message,
      help,
    ];
  });
  return [
    ["code", "JSON-RPC", "HTTP", "seed 003", "transient", "what it means", "what to do"],
    ...rows,
  ];
}

export function operationTable(): Table {
  const rows = operationNames.map((name) => {
    const { http, socket, role, scope, parts = {} } = rowOf(name);
    const { summary, input } = contracts[name];
    const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "output" });
    const fields = Object.keys(properties).filter((field) => field !== "_meta");
    const written = fields.map((field) => `\`${field}${required.includes(field) ? "" : "?"}\``);
    return [
      `\`${name}\``,
      http === null ? "" : `\`${http}\``,
      socket ? "yes" : "",
      [role, ...Object.entries(parts).map(([part, least]) => `\`${part}\`: ${least}`)].join("; "),
      scope,
      summary.replaceAll("|", "\\|"),
      written.join(", "),
    ];
  });
  return [["name", "HTTP", "WebSocket", "role", "scope", "what it does", "input"], ...rows];
}

export function limitTable(): Table {
  const rows = limitNames.map((name) => {
    const row = limitRow(name);
    return [
      `\`${name}\``,
      row.unit,
      amount(row.default),
      amount(row.spec),
      consequences(name),
      row.fixed ? "no" : "yes",
    ];
  });
  return [["name", "unit", "default", "spec", "what happens", "config"], ...rows];
}

function amount(value: number | null): string {
  return value === null ? "none" : value.toLocaleString("en-US");
}

function consequences(name: LimitName): string {
  const usual = limitConsequence(name, "default");
  const spec = limitConsequence(name, "spec");
  return usual === spec ? usual : `default: ${usual} spec: ${spec}`;
}

/** The names from the seeds; all others are Landline's and marked. */
const seedNames: ReadonlySet<string> = new Set([
  "message_chunk",
  "tool_call_started",
  "tool_call_completed",
  "permission_request",
  "terminal_output",
  "plan_created",
  "mode_changed",
  "turn_complete",
  "error",
  "message.part.updated",
  "tool.execute",
  "tool.result",
  "permission.request",
  "session.updated",
]);

/** `error` is the seed's in bridge and Landline's in codeopen, which has no such name. */
function names(frames: readonly string[], dialect: "bridge" | "codeopen"): string {
  const marked = frames.map((name) =>
    seedNames.has(name) && !(dialect === "codeopen" && name === "error")
      ? `\`${name}\``
      : `\`${name}\` +`,
  );
  return marked.join(", ") || "silent";
}

function dialectRow(label: string, event: SessionEvent): readonly string[] {
  return [
    label,
    names(
      toBridge("s", event).map((frame) => frame.type),
      "bridge",
    ),
    names(
      toCodeopen("s", event).map((frame) => frame.event),
      "codeopen",
    ),
  ];
}

const question = eventOf({
  kind: "ask-opened",
  askId: "q",
  ask: "question",
  request: { mode: "url", message: "", elicitationId: "e", url: "https://a.test", sessionId: "a" },
});
const answered = eventOf({
  kind: "ask-settled",
  askId: "q",
  outcome: { action: "accept" },
  by: { client: "c" },
});

export function eventTable(): Table {
  const rows = Object.values(sampleBodies)
    .filter(({ kind }) => kind !== "update")
    .flatMap((body) => {
      if (body.kind === "ask-opened")
        return [
          dialectRow("`ask-opened`, a permission", eventOf(body)),
          dialectRow("`ask-opened`, a question", question),
        ];
      if (body.kind === "ask-settled")
        return [
          dialectRow("`ask-settled`, a permission", eventOf(body)),
          dialectRow("`ask-settled`, a question", answered),
        ];
      return [dialectRow(`\`${body.kind}\``, eventOf(body))];
    });
  const unknown = { seq: 1, at: 0, kind: "later" } as unknown as SessionEvent;
  return [["event", "bridge", "codeopen"], ...rows, dialectRow("any other kind", unknown)];
}

export function updateTable(): Table {
  const ended = { ...sampleUpdates.tool_call_update, status: "completed" };
  const rows = Object.entries(sampleUpdates).flatMap(([kind, update]) => {
    const label = kind === "any other" ? "any other kind" : `\`${kind}\``;
    const row = dialectRow(label, updateEvent(update));
    return kind === "tool_call_update"
      ? [row, dialectRow(`${label}, completed or failed`, updateEvent(ended))]
      : [row];
  });
  const child = dialectRow(
    "any update of a subagent",
    updateEvent(sampleUpdates.agent_message_chunk, "child"),
  );
  return [["update", "bridge", "codeopen"], ...rows, child];
}
