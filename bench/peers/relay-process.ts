import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";

const [command = "", ...args] = process.argv.slice(2);

const server = createServer({ noDelay: true }, (socket) => {
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  socket.on("error", () => agent.kill());
  agent.stdin.on("error", () => socket.destroy());
  socket.pipe(agent.stdin);
  agent.stdout.pipe(socket);
}).listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
