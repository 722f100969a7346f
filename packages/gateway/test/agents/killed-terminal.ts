import { limitsOf } from "@landline/protocol";
import { shippedScenario } from "@landline/testing";
import { createAgentHost } from "../../src/agents/host.ts";
import { scriptedEntry } from "./test-agent-host.ts";

/**
 * A gateway that terminal.test.ts kills: it runs a program in a terminal that outlives it, as do its children, and
 * prints their pids.
 */
const [folder = ""] = process.argv.slice(2);
const limits = limitsOf("default");
const host = createAgentHost({ folder: { path: folder }, limits });
const stubborn = `
  for (const signal of ["SIGHUP", "SIGTERM"]) process.on(signal, () => {});
  process.stdout.on("error", () => {});
  const sleep = ["-c", "trap '' HUP TERM; sleep 60"];
  const start = (detached) =>
    require("child_process").spawn("bash", sleep, { stdio: "ignore", detached }).pid;
  console.log(JSON.stringify([process.pid, start(false), start(true)]));
  setInterval(() => {}, 1_000);`;
const terminal = await host.openTerminal({
  entry: scriptedEntry(shippedScenario("hello")),
  call: { command: process.execPath, args: ["-e", stubborn], env: {} },
  cwd: folder,
  limits,
});
const tell = () => {
  const text = terminal.screen.whole();
  if (text.includes("]")) process.stdout.write(text);
};
terminal.screen.watch(tell);
// The program may have printed them before anybody listened.
tell();
