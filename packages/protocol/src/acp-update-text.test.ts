import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { readAcpUpdate, writeAcpUpdate } from "./acp-update-text.ts";

const text = fc.json().map((value) => `{"sessionUpdate":"x","content":${value}}`);

test.prop([
  fc.record({
    sessionId: fc.string({ minLength: 1 }),
    child: fc.option(fc.string({ minLength: 1 })),
    text,
    cursor: fc.option(fc.nat()),
  }),
])("reads what it writes, which is the JSON of a notification", (update) => {
  const { sessionId, child, cursor } = update;
  const line = writeAcpUpdate(update);
  expect(readAcpUpdate(line)).toEqual({ sessionId, cursor, hasMore: cursor === null });
  expect(JSON.parse(line)).toMatchObject({
    method: "session/update",
    params: { sessionId: child ?? sessionId, update: JSON.parse(update.text) as object },
  });
});

it("does not take a field of the agent for the cursor of the gateway", () => {
  const forged = '{"sessionUpdate":"x","_meta":{"acp/cursor":99}}';
  const bare = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":${forged}}}`;
  expect(readAcpUpdate(bare)).toEqual({ sessionId: "s", cursor: null, hasMore: false });
  const written = writeAcpUpdate({ sessionId: "s", child: null, text: forged, cursor: 7 });
  expect(readAcpUpdate(written)).toMatchObject({ cursor: 7 });
});

it.each(['{"jsonrpc":"2.0","id":1,"result":{}}', "", "no JSON"])("ignores %j", (line) => {
  expect(readAcpUpdate(line)).toBeNull();
});
