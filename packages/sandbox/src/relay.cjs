"use strict";
// Runs inside the sandbox, whose network has only a loopback interface: node relay.cjs SOCKET PORT. It forwards each
// connection on the port to the proxy outside. It checks nothing, because code inside is not trusted. It is plain
// JavaScript, because it starts with each command.

const fs = require("node:fs");
const net = require("node:net");

const [path, port] = process.argv.slice(2);
const lookMinMs = 5;
const lookMaxMs = 100;

// Signals to the process group are for the program, which may use the network until it ends.
for (const name of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"])
  process.on(name, () => {});

/** Ends when only this process and the first process are left. Short commands are checked more often. */
function look() {
  const own = String(process.pid);
  const isOther = (name) => /^\d+$/.test(name) && name !== "1" && name !== own;
  const isAlone = !fs.readdirSync("/proc").some(isOther);
  if (isAlone) process.exit(0);
  const ageMs = process.uptime() * 1_000;
  setTimeout(look, Math.min(lookMaxMs, Math.max(lookMinMs, ageMs / 20)));
}

function passOn(client) {
  const proxy = net.connect({ path, allowHalfOpen: true });
  const both = [client, proxy];
  const destroy = () => both.forEach((socket) => socket.destroy());
  for (const socket of both) socket.on("error", destroy);
  client.pipe(proxy);
  proxy.pipe(client);
}

const server = net.createServer({ allowHalfOpen: true }, passOn);
// Without free descriptors, it can only wait.
server.on("error", () => {
  if (!server.listening) process.exit(1);
});
server.listen({ host: "127.0.0.1", port: Number(port) }, () => {
  // The program starts when this output ends.
  fs.writeSync(1, "ready");
  fs.closeSync(1);
  fs.openSync("/dev/null", "w");
  look();
});
