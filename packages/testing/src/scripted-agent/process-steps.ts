import { spawn } from "node:child_process";
import { once } from "node:events";
import { lineOf } from "./output.ts";
import type { Spawning } from "./step.ts";
import {
  filled,
  ScenarioFault,
  updateMessage,
  type Handlers,
  type StepContext,
} from "./step-context.ts";
import { forEver, pace, untilAborted } from "./delays.ts";

type ProcessStep = "stderr" | "spawn" | "crash";

export const processSteps: Handlers<ProcessStep> = {
  stderr: async (body, context) => {
    const { host } = context.connection;
    if (typeof body === "string") {
      await untilAborted(host.writeStderr(`${filled(body, context)}\n`), context.signal);
      return;
    }
    const { lines, bytes = 80, perSecond } = body;
    await pace(lines, perSecond, context.signal, async (from, to) => {
      for (let index = from; index < to; index += 1) {
        const line = `${`${index} `.padEnd(bytes, "e")}\n`;
        await untilAborted(host.writeStderr(line), context.signal);
      }
    });
  },
  spawn: startChild,
  crash: async (body, context) => {
    const { host, output } = context.connection;
    const { halfLine = false, ...how } = typeof body === "number" ? { code: body } : body;
    if (halfLine) {
      const content = { type: "text", text: "this line is never finished" };
      const line = lineOf(
        updateMessage(context, { sessionUpdate: "agent_message_chunk", content }),
      );
      context.output.raw(line.slice(0, line.length / 2));
    }
    await output.flushed();
    host.exit(how);
    await forEver(context.signal);
  },
};

/** The child is `sleep`, which ends on its own even if the agent is killed. */
async function startChild(body: Spawning, context: StepContext): Promise<void> {
  const seconds = String(body.forMs / 1000);
  const [command, args] =
    body.ignoresSigterm === true
      ? ["/bin/sh", ["-c", `trap "" TERM; exec sleep ${seconds}`]]
      : ["sleep", [seconds]];
  const held = body.holdsOutput === true ? "inherit" : "ignore";
  const child = spawn(command, args, {
    detached: body.detached ?? false,
    stdio: ["ignore", held, held],
  });
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new ScenarioFault("the child could not be started", { cause: String(cause) });
  }
  child.unref();
  context.saved.set(body.save ?? "childPid", child.pid);
}
