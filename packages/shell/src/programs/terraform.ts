import type { ProgramSpec } from "../arguments/program-spec.ts";
import { mentions } from "./word-helpers.ts";

/** Runs the providers of the project. */
const runs = (effects: string, options: string, operands = ""): ProgramSpec => ({
  effects: `project ${effects}`,
  options: `-no-color -json -help ${options}`,
  operands,
  style: "dash",
});

const planning = `-out=write -var= -var-file=load -target= -replace= -exclude= -refresh=? -refresh-only -destroy -lock=? -lock-timeout= -input=?
  -compact-warnings -detailed-exitcode -parallelism= -state=load -generate-config-out=write -concise -show-sensitive!environment`;

/** Writes, except with `-check` or `-write=false`. `-diff` runs another program. */
const format = (effects: string): ProgramSpec => ({
  effects,
  options: "-check -recursive -list=? -no-color -write=? -diff!execute",
  operands: (parsed) => {
    const isLook = parsed.has("-check") || parsed.values("-write").includes("false");
    return isLook ? "read*" : "write*";
  },
  implied: (parsed) =>
    parsed.has("-check") || parsed.values("-write").includes("false") ? "read ." : "write .",
  style: "dash",
});

/** `effects`: the effects of every command. */
export const terraform = (effects: string): ProgramSpec => ({
  options: "-chdir=enter",
  style: "dash",
  subcommands: {
    version: { effects, options: "-json", operands: "", style: "dash" },
    fmt: format(effects),
    validate: runs("network", "-no-tests -test-directory=read -var= -var-file=load"),
    plan: runs("network", planning),
    "graph|providers": runs("network", "-type= -plan=read -draw-cycles"),
    // State contains passwords and keys in plain text.
    "show|output": runs(
      "network environment",
      "-raw -state=load -show-sensitive -module=",
      "text*",
    ),
    "apply|destroy|init|get|import|state|taint|untaint|refresh|workspace|console|login|logout|force-unlock|test|metadata|modules|stacks|query|cloud":
      mentions("execute network project"),
  },
});
