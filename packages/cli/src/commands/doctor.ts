import {
  checkDataFolder,
  checkMachine,
  loadConfig,
  type CheckProgress,
  type CheckResult,
  type GatewayOptions,
} from "@landline/gateway";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { findGateway, type ReachedGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import { failureText } from "../failure.ts";
import type { Output } from "../output.ts";

interface DoctorOptions extends PlaceOptions, JsonOption {
  readonly rebuild?: boolean;
}

export async function doctor(
  { output }: CommandContext,
  { rebuild = false, json = false, ...place }: DoctorOptions,
): Promise<number> {
  const options = await loadConfig({ flags: place });
  const gateway = await findGateway(options);
  if (gateway) return examineRunning(gateway, output, { options, rebuild, json });
  const isWell = await checkDataFolder(options, {
    isRebuild: rebuild,
    onFinding: (finding) => tell(output, finding, json),
    onProgress: json ? () => {} : progressOn(output),
  });
  return isWell ? exitCode.done : exitCode.failed;
}

interface RunningExamination {
  readonly options: GatewayOptions;
  readonly rebuild: boolean;
  readonly json: boolean;
}

/** A gateway holds the folder, so only that gateway can be queried. */
async function examineRunning(
  gateway: ReachedGateway,
  output: Output,
  { options, rebuild, json }: RunningExamination,
): Promise<number> {
  const check = "gateway";
  try {
    await gateway.api.readMe();
    tell(
      output,
      { check, ok: true, message: `The gateway at ${gateway.url} runs and answers.` },
      json,
    );
  } catch (error) {
    tell(output, { check, ok: false, message: failureText(error) }, json);
    return exitCode.failed;
  }
  const findings = await checkMachine(options);
  for (const finding of findings) tell(output, finding, json);
  if (!rebuild) {
    output.note("Stop it to have the logs and the database checked too.");
    return findings.every(({ ok }) => ok) ? exitCode.done : exitCode.failed;
  }
  const message = "The database is in use.";
  tell(output, { check, ok: false, message, help: "Stop the gateway, and run this again." }, json);
  return exitCode.failed;
}

type Told = Omit<CheckResult, "check"> & { readonly check: CheckResult["check"] | "gateway" };

function tell(output: Output, finding: Told, json: boolean): void {
  if (json) return output.json(finding);
  const help = finding.help === undefined ? "" : ` ${finding.help}`;
  const mark = finding.ok ? output.paint("✓", "green") : output.paint("✗", "red");
  output.line(`${mark} ${finding.check}: ${finding.message}${help}`);
}

const PROGRESS_MS = 1_000;

/** Prints at most one line a second: nothing for small folders, enough for large ones. */
function progressOn(output: Output) {
  let toldAt = Date.now();
  return ({ what, done, total }: CheckProgress): void => {
    if (Date.now() - toldAt < PROGRESS_MS) return;
    toldAt = Date.now();
    const words = what === "log" ? "reading the logs" : "rebuilding the database";
    output.note(`  ${words}: ${done} of ${total} sessions`, "dim");
  };
}
