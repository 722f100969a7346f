import { readdirSync, readFileSync } from "node:fs";

export interface MarkedProcess {
  readonly pid: number;
  readonly startTime: string;
  readonly command: string;
}

/** The variable with which a gateway of these tests is started; all its processes inherit it. */
export const markVariable = "KILL_TEST_MARK";

/** Running processes with the mark in their environment, found without any code of the gateway. */
export function markedBy(mark: string): MarkedProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      if (!textOf(name, "environ").split("\0").includes(`${markVariable}=${mark}`)) return [];
      const stat = textOf(name, "stat");
      const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state === undefined || state === "Z" || state === "X" || stat === "") return [];
      const command = textOf(name, "cmdline").replaceAll("\0", " ");
      return [{ pid: Number(name), startTime: fields[18] ?? "", command }];
    });
}

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}
