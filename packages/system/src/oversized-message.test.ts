import { describe, expect, test } from "vitest";
import { readMessageId } from "./oversized-message.ts";

describe("a message over the size limit", () => {
  test.each([
    [
      '{"jsonrpc":"2.0","id":5,"method":"fs/write_text_file","params":{"con',
      'tent"}}',
      { type: "request", id: 5 },
    ],
    [
      '{"jsonrpc":"2.0","method":"fs/write_text_file","id":"a\\"b","params":{"con',
      'tent"}}',
      { type: "request", id: 'a"b' },
    ],
    [
      '{"jsonrpc":"2.0","method":"fs/write_text_file","params":{"con',
      'tent"},"id":7}',
      { type: "request", id: 7 },
    ],
    ['{"jsonrpc":"2.0","id":3,"result":{"con', 'tent"}}', { type: "response", id: 3 }],
    ['{"jsonrpc":"2.0","method":"session/update","params":{"con', 'tent"}}', null],
    ['{"params":{"id":9,"con', 'tent"},"method":"x"}', null],
    ["garbage", "garbage", null],
  ])("can still be answered: %s…%s", (head, tail, id) => {
    expect(readMessageId({ head, tail })).toEqual(id);
  });
});
