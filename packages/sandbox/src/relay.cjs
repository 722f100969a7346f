"use strict";
// Runs inside of the sandbox, whose network has nothing but a loopback interface: node relay.cjs SOCKET PORT. It listens
// there, and passes each connection on to the proxy, which is outside. It checks nothing: what is inside is not
// trusted. Plain JavaScript, because it is started with each command.

const fs = require("node:fs");
const net = require("node:net");

const [path, port] = process.argv.slice(2);
const lookMinMs = 5;
const lookMaxMs = 100;

// Signals to the group are for the program. It may use the network while it ends.
for (const name of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"])
  process.on(name, () => {});

/** Ends once only this process and the first one are left. Short commands are looked at more often. */
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
// Without descriptors left there is nothing to be done but to wait for some.
server.on("error", () => {
  if (!server.listening) process.exit(1);
});
server.listen({ host: "127.0.0.1", port: Number(port) }, () => {
  // The end of this output starts the program.
  fs.writeSync(1, "ready");
  fs.closeSync(1);
  fs.openSync("/dev/null", "w");
  look();
});
