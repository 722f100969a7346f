import type * as shell from "@landline/shell";

export type Shell = typeof shell & shell.Judge;

/** Loads the command analysis with the first call that needs it, so that the gateway starts without it. */
export async function openShell(): Promise<Shell> {
  const module = await import("@landline/shell");
  return { ...module, ...(await module.openJudge()) };
}
