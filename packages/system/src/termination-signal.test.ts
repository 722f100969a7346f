import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";

it("reports the first signal, and the second one ends the process", async () => {
  const module = new URL("./termination-signal.ts", import.meta.url).href;
  const script = `import { terminationSignal } from ${JSON.stringify(module)};
    void terminationSignal().then(() => console.log("told"));
    setInterval(() => {}, 1_000);
    console.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  expect(String(await once(child.stdout, "data"))).toBe("ready\n");
  child.kill("SIGTERM");
  expect(String(await once(child.stdout, "data"))).toBe("told\n");
  child.kill("SIGINT");
  expect(await ended).toEqual([null, "SIGINT"]);
});
