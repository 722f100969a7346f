import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const node = ["--conditions=@landline/source"];

test("neither warnings nor failures of the AI SDK are printed", async () => {
  const program = fileURLToPath(new URL("warning-program.ts", import.meta.url));
  const { stdout, stderr } = await run(process.execPath, [...node, program]);
  expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
});

test("no provider's package is loaded before a model is opened", async () => {
  const resolve = new URL("../../src/model/model-selection.ts", import.meta.url).href;
  const stream = new URL("../../src/model/stream.ts", import.meta.url).href;
  const script = `
    await import(${JSON.stringify(resolve)});
    await import(${JSON.stringify(stream)});
    const { Session } = await import("node:inspector");
    const session = new Session();
    session.connect();
    const urls = [];
    session.on("Debugger.scriptParsed", ({ params }) => urls.push(params.url));
    session.post("Debugger.enable");
    console.log(JSON.stringify(urls));
    session.disconnect();
  `;
  const { stdout } = await run(process.execPath, [...node, "--input-type=module", "-e", script]);
  const urls = JSON.parse(stdout) as string[];
  expect(urls).toEqual(expect.arrayContaining([resolve, stream]));
  expect(urls.filter((url) => url.includes("/node_modules/"))).toEqual([]);
});
