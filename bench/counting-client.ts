import { createServer } from "node:net";

/** Counts the events on a socket, in lines or frames, and the misplaced numbers. */
const marker = Buffer.from('{"seq":');
const LONGEST_NUMBER = 20;

const server = createServer((socket) => {
  server.close();
  let last = 0;
  let gaps = 0;
  let rest: Buffer | null = null;
  socket.on("data", (chunk: Buffer) => {
    const bytes: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk;
    // A number that may be incomplete is checked again with the next read.
    const sure = bytes.length - marker.length - LONGEST_NUMBER;
    let at = bytes.indexOf(marker);
    while (at !== -1 && at < sure) {
      let seq = 0;
      for (let place = at + marker.length; ; place++) {
        const digit = (bytes[place] ?? 0) - 48;
        if (digit < 0 || digit > 9) break;
        seq = seq * 10 + digit;
      }
      if (seq !== last + 1) gaps++;
      last = seq;
      at = bytes.indexOf(marker, at + marker.length);
    }
    rest = bytes.subarray(at === -1 ? Math.max(0, bytes.length - marker.length + 1) : at);
  });
  socket.on("end", () => console.log(JSON.stringify({ events: last, gaps })));
}).listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as { port: number }).port }));
});
