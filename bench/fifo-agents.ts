import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { benchFile, Child, source } from "./child-process.ts";

/** Many agents at almost no cost. */
export interface FifoAgents extends AsyncDisposable {
  readonly agent: readonly string[];
}

const script = `d=$(mktemp -d "$1/XXXXXXXX") && mkfifo "$d/in" "$d/out" && : >"$d.ready" || exit 1
exec 3<&0
cat <&3 >"$d/in" &
exec cat <"$d/out"`;

export async function startFifoAgents(): Promise<FifoAgents> {
  const folder = await fs.mkdtemp(path.join(tmpdir(), "landline-agents-"));
  const child = new Child(process.execPath, [source, benchFile("fifo-agents-process.ts"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
    // Every pipe that waits for its other end occupies a thread.
    env: { ...process.env, UV_THREADPOOL_SIZE: "512" },
  });
  await child.messages()();
  const file = path.join(folder, "agent.sh");
  await fs.writeFile(file, `${script}\n`);
  return {
    agent: ["/bin/sh", file, folder],
    [Symbol.asyncDispose]: async () => {
      await child[Symbol.asyncDispose]();
      await fs.rm(folder, { recursive: true, force: true });
    },
  };
}
