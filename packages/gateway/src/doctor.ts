import { join } from "node:path";
import { decodeLine, LandlineError } from "@landline/protocol";
import { openIndexDatabase, type IndexDatabase } from "./index/index-database.ts";
import type { IndexerProgress } from "./index/indexer.ts";
import { rebuild } from "./index/rebuild.ts";
import { homeFolder } from "@landline/system/home-folders";
import { openRules } from "./acp-client/permissions/rules.ts";
import { TerminalSandboxes } from "./acp-client/terminals/terminal-sandboxes.ts";
import { openFolder } from "./data-folder/data-folder.ts";
import type { GatewayOptions } from "./gateway-options.ts";
import { fileLogs } from "./log/file-logs.ts";
import type { Logs } from "./log/log.ts";
import { linesOf } from "./log/log-lines.ts";
import { findSupervisor } from "@landline/system/supervisor";

/** The result of one check. */
export interface CheckResult {
  readonly check: "folder" | "sandbox" | "processes" | "rules" | "log" | "database" | "rebuild";
  readonly ok: boolean;
  readonly message: string;
  readonly help?: string;
  readonly sessionId?: string;
}

export interface CheckProgress {
  readonly what: "log" | "rebuild";
  readonly done: number;
  readonly total: number;
}

export interface DataFolderCheck {
  /** Whether to rebuild the index from the logs. */
  readonly isRebuild: boolean;
  readonly onFinding: (finding: CheckResult) => void;
  readonly onProgress: (progress: CheckProgress) => void;
}

/**
 * Checks a data folder that no gateway uses: its owner, its rules, every line of every log, and whether the index is
 * up to date. Changes no log. Resolves to whether all checks passed.
 */
export async function checkDataFolder(
  options: GatewayOptions,
  examination: DataFolderCheck,
): Promise<boolean> {
  const { limits } = options;
  let isWell = true;
  const tell = (finding: CheckResult) => {
    isWell &&= finding.ok;
    examination.onFinding(finding);
  };
  try {
    await using folder = await openFolder(options.dataFolder);
    tell({ check: "folder", ok: true, message: `${folder.path} belongs to you and can be used.` });
    for (const finding of await checkMachine(options)) tell(finding);
    await examineRules(join(folder.path, "rules.json"), options, tell);
    await using logs = fileLogs(folder.sessions, { limits });
    const heads = await examineLogs(logs, tell, examination.onProgress);
    using indexDatabase = openIndexDatabase(folder.database, { limits });
    if (examination.isRebuild) await rebuildFrom(logs, indexDatabase, options, examination, tell);
    else checkIndex(indexDatabase, heads, tell);
  } catch (error) {
    tell(failed("folder", error));
  }
  return isWell;
}

/** Checks whether this machine can confine agents and end their child processes. */
export async function checkMachine(options: GatewayOptions): Promise<CheckResult[]> {
  return Promise.all([examineSandbox(options), examineProcesses()]);
}

/** Reports which processes end with their agent on this machine. Without a supervisor the check still passes. */
async function examineProcesses(): Promise<CheckResult> {
  const supervisor = await findSupervisor(process.env, []);
  const about = { check: "processes", ok: true } as const;
  if (supervisor !== null) {
    const message = `All child processes of agents and terminals end with them (supervised by ${supervisor.interpreter}).`;
    return { ...about, message };
  }
  const message =
    "Processes that leave their process group and change their environment outlive their agent.";
  const help = "Install perl or python3, so that they end with their agent.";
  return process.platform === "linux" ? { ...about, message, help } : { ...about, message };
}

/** Checks whether commands in terminals can be confined. Fails only if the config requires it. */
async function examineSandbox({ dataFolder, policy }: GatewayOptions): Promise<CheckResult> {
  const sandboxes = new TerminalSandboxes({ home: homeFolder(process.env), folder: dataFolder });
  const check = "sandbox";
  const found = await sandboxes.find().catch((error: Error) => failed(check, error));
  if ("check" in found) return found;
  if (found.sandbox !== null)
    return {
      check,
      ok: true,
      message: `Commands of agents can be confined by ${found.sandbox.name}.`,
    };
  const message = `Commands that agents run in terminals are not confined: ${found.reason}`;
  const wanting = Object.entries(policy).flatMap(([id, { sandbox, terminalSandbox = "off" }]) =>
    sandbox !== undefined || terminalSandbox !== "off" ? [id] : [],
  );
  if (wanting.length === 0) return { check, ok: true, message };
  const help = `The config requires a sandbox for: ${wanting.join(", ")}.`;
  return { check, ok: false, message, help };
}

async function examineRules(
  path: string,
  { limits }: GatewayOptions,
  tell: (finding: CheckResult) => void,
): Promise<void> {
  const rules = await openRules(path, { limits });
  if (!rules.damage) return;
  const { movedTo, reason } = rules.damage;
  const place = movedTo === null ? "" : ` It is now ${movedTo}.`;
  tell({
    check: "rules",
    ok: false,
    message: `The permission rules file was damaged: ${reason}.${place} No rule allows anything.`,
    help: "Start the gateway, check Settings → Rules, and choose “Turn automatic approvals back on”.",
  });
}

async function examineLogs(
  logs: Logs,
  tell: (finding: CheckResult) => void,
  onProgress: (progress: CheckProgress) => void,
): Promise<ReadonlyMap<string, number>> {
  const ids = await logs.list();
  const heads = new Map<string, number>();
  let events = 0;
  for (const [done, sessionId] of ids.entries()) {
    onProgress({ what: "log", done, total: ids.length });
    try {
      const head = await examineLog(logs, sessionId);
      heads.set(sessionId, head);
      events += head;
    } catch (error) {
      tell({ ...failed("log", error), sessionId });
    }
  }
  onProgress({ what: "log", done: ids.length, total: ids.length });
  const message = `${heads.size} of ${ids.length} sessions can be read, with ${events} events.`;
  tell({ check: "log", ok: heads.size === ids.length, message });
  return heads;
}

/** Checks that every event is present, in order and readable. */
async function examineLog(logs: Logs, sessionId: string): Promise<number> {
  const log = await logs.open(sessionId);
  let last = 0;
  for await (const chunk of log.read(0)) {
    for (const line of linesOf(chunk)) {
      const { seq } = decodeLine(line);
      if (seq !== last + 1)
        throw new LandlineError("log-damaged", {
          message: `Session ${sessionId}: expected event ${last + 1}, found ${seq}.`,
        });
      last = seq;
    }
  }
  return last;
}

function checkIndex(
  indexDatabase: IndexDatabase,
  heads: ReadonlyMap<string, number>,
  tell: (finding: CheckResult) => void,
): void {
  const { origin } = indexDatabase;
  if (origin.how === "replaced")
    tell({
      check: "database",
      ok: false,
      message: `The database could not be used (${origin.because}); it was moved to ${origin.aside}.`,
      help: "The next start fills a new one from the logs; to do it now, run `landline doctor --rebuild`.",
    });
  const progress = indexDatabase.progress();
  const behind = [...heads].filter(
    ([sessionId, head]) => indexDatabase.applied(sessionId) < head,
  ).length;
  const tooMuch = [...progress.keys()].filter((sessionId) => !heads.has(sessionId)).length;
  const parts = [
    `The database has ${progress.size} sessions`,
    ...(behind > 0 ? [`${behind} are behind their log; the next start updates them`] : []),
    ...(tooMuch > 0 ? [`${tooMuch} have no readable log`] : []),
  ];
  tell({
    check: "database",
    ok: tooMuch === 0,
    message: `${parts.join("; ")}.`,
    ...(tooMuch === 0 ? {} : { help: "Run `landline doctor --rebuild`." }),
  });
}

async function rebuildFrom(
  logs: Logs,
  indexDatabase: IndexDatabase,
  { limits }: GatewayOptions,
  { onProgress }: DataFolderCheck,
  tell: (finding: CheckResult) => void,
): Promise<void> {
  const { sessions, problems } = await rebuild(indexDatabase, logs, {
    limits,
    onProgress: ({ done, total }: IndexerProgress) => onProgress({ what: "rebuild", done, total }),
  });
  for (const problem of problems) tell(failed("rebuild", problem));
  const message = `The database was rebuilt from the logs of ${sessions} sessions.`;
  tell({ check: "rebuild", ok: problems.length === 0, message });
}

function failed(check: CheckResult["check"], error: unknown): CheckResult {
  if (!(error instanceof LandlineError)) throw error;
  return { check, ok: false, message: error.message, help: error.help };
}
