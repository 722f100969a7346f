import { wrongArguments } from "./suite/arguments.ts";
import { cancelledCommand, failingTest, longOutput } from "./suite/commands.ts";
import { compactedTurn, failingProvider, subagentSearch } from "./suite/conversation.ts";
import { changedMeanwhile, editAgain, patchFiles, renameEverywhere } from "./suite/edits.ts";
import { mcpCredential, mcpTool } from "./suite/mcp.ts";
import { homeAndAddresses, patchAtHome } from "./suite/paths.ts";
import { planFirst } from "./suite/plan.ts";
import { rulesForCommands } from "./suite/rules.ts";
import { spending } from "./suite/spending.ts";
import { undoAndRedo, undoOfHelper } from "./suite/undo.ts";
import {
  helpersRead,
  mentionedFile,
  readThenForgotten,
  unreadFile,
  unseenChange,
  unseenCredential,
  unseenPatch,
} from "./suite/unread-files.ts";
import { sandboxedCommands } from "./suite/sandbox.ts";
import type { Task } from "./task.ts";

/** One of each kind of work. */
export const coreTasks: readonly Task[] = [
  editAgain,
  renameEverywhere,
  failingTest,
  longOutput,
  failingProvider,
  changedMeanwhile,
  patchFiles,
  cancelledCommand,
  planFirst,
  mcpTool,
  undoAndRedo,
];

export const otherTasks: readonly Task[] = [
  subagentSearch,
  mcpCredential,
  undoOfHelper,
  compactedTurn,
  unreadFile,
  unseenChange,
  unseenCredential,
  unseenPatch,
  readThenForgotten,
  helpersRead,
  mentionedFile,
  homeAndAddresses,
  patchAtHome,
  rulesForCommands,
  spending,
  wrongArguments,
  sandboxedCommands,
];

export const allTasks: readonly Task[] = [...coreTasks, ...otherTasks];
