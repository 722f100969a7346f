import { cancelledCommand, failingTest, longOutput } from "./suite/commands.ts";
import { compactedTurn, failingProvider, subagentSearch } from "./suite/conversation.ts";
import { changedMeanwhile, editAgain, patchFiles, renameEverywhere } from "./suite/edits.ts";
import { mcpTool } from "./suite/mcp.ts";
import { planFirst } from "./suite/plan.ts";
import { undoAndRedo, undoOfHelper } from "./suite/undo.ts";
import type { Task } from "./task.ts";

export const allTasks: readonly Task[] = [
  editAgain,
  renameEverywhere,
  failingTest,
  longOutput,
  failingProvider,
  changedMeanwhile,
  patchFiles,
  cancelledCommand,
  subagentSearch,
  planFirst,
  mcpTool,
  undoAndRedo,
  undoOfHelper,
  compactedTurn,
];
