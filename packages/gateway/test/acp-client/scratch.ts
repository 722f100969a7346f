import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventBody, limitsOf, type Limits } from "@landline/protocol";
import { Temporaries } from "../../src/acp-client/files/temporaries.ts";
import type { SessionContext } from "../../src/acp-client/session-context.ts";

/** A project folder with a secret beside it, and the recorded events. */
export interface Scratch extends AsyncDisposable {
  readonly project: string;
  readonly outside: string;
  readonly events: EventBody[];
  readonly temporaries: Temporaries;
  context(
    changes?: Partial<Omit<SessionContext, "limits">> & { limits?: Partial<Limits> },
  ): SessionContext;
}

export async function openScratch(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "landline-acp-client-")));
  const project = join(folder, "project");
  const outside = join(folder, "outside");
  await mkdir(project);
  await mkdir(outside);
  const events: EventBody[] = [];
  const limits = limitsOf("default");
  const report = (_path: string, error: unknown) => {
    throw error;
  };
  const temporaries = await Temporaries.open(join(folder, "writes"), { limits, report });
  return {
    temporaries,
    project,
    outside,
    events,
    context: ({ limits: changedLimits, ...changes } = {}) => ({
      sessionId: "session",
      agent: "agent",
      cwd: project,
      roots: [project],
      limits: { ...limits, ...changedLimits },
      record: (...added) => void events.push(...added),
      ...changes,
    }),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The code of a rejected promise, which must be a LandlineError. */
export async function refusedWith(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    const { name, code } = error as { name: string; code: string };
    return name === "LandlineError" ? code : `${name}: ${String(error)}`;
  }
  return "taken";
}
