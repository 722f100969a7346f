import { randomBytes } from "node:crypto";
import { connect } from "node:net";

/**
 * A viewer of a session over `landline.v1` that costs as little as possible: it does not unpack frames, it
 * counts the numbers in them. Arguments: PORT TOKEN SESSION LAST. Says when it is attached, and at the
 * last number how many events it got and how many were out of place.
 */
const [port = "0", token = "", session = "", lastWanted = "0"] = process.argv.slice(2);
const marker = Buffer.from('{"seq":');
const LONGEST_NUMBER = 20;

const socket = connect(Number(port), "127.0.0.1");
socket.write(
  [
    "GET /ws HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
    `Sec-WebSocket-Protocol: landline.v1, token.${token}`,
    "\r\n",
  ].join("\r\n"),
);

/** A client's frames are masked; a mask of zeros leaves them as they are. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([
    Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]),
    payload,
  ]);
}

let upgraded = false;
let last = 0;
let gaps = 0;
let rest: Buffer | null = null;
socket.on("data", (chunk: Buffer) => {
  if (!upgraded) {
    if (!chunk.toString("latin1").startsWith("HTTP/1.1 101"))
      throw new Error(chunk.toString("latin1"));
    upgraded = true;
    socket.write(frame(JSON.stringify({ id: "1", type: "attach", sessionId: session, after: 0 })));
    return;
  }
  const bytes: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk;
  let at = bytes.indexOf(marker);
  const before = last;
  // A number at the very end may be cut off, unless it is the last one that will come.
  while (
    at !== -1 &&
    (at < bytes.length - marker.length - LONGEST_NUMBER || bytes.includes(44, at))
  ) {
    const seq = Number.parseInt(
      bytes.toString("latin1", at + marker.length, at + marker.length + LONGEST_NUMBER),
      10,
    );
    if (seq !== last + 1) gaps++;
    last = seq;
    at = bytes.indexOf(marker, at + marker.length);
  }
  rest =
    at === -1 ? bytes.subarray(Math.max(0, bytes.length - marker.length + 1)) : bytes.subarray(at);
  if (before === 0 && last > 0) console.log(JSON.stringify({ attached: true }));
  if (last >= Number(lastWanted)) {
    console.log(JSON.stringify({ events: last, gaps }));
    socket.destroy();
  }
});
