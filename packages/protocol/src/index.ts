export type {
  Actor,
  AgentExited,
  AgentNoise,
  AgentWaiting,
  AgentStarted,
  AskOpened,
  AskExplained,
  AskSettled,
  BlobReference,
  Confinement,
  ErrorRaised,
  EventBody,
  EventKind,
  FileRead,
  FileWritten,
  GatewayReason,
  LegacyModels,
  Numbered,
  OptionsChanged,
  PermissionOpened,
  PromptChanged,
  PromptMoved,
  PromptQueued,
  PromptWithdrawn,
  QuestionOpened,
  RawUpdate,
  SessionChanged,
  SessionClosed,
  SessionEvent,
  SessionOpened,
  TerminalExited,
  TerminalOpened,
  TerminalRestarted,
  TerminalOutput,
  TurnChanged,
  TurnEnded,
  TurnStarted,
  TurnUsage,
  Update,
} from "./events.ts";
export {
  errorCodes,
  errorRow,
  asLandlineError,
  isErrorCode,
  isTransient,
  LandlineError,
  sessionGoneCodes,
  toProblem,
} from "./errors.ts";
export type { ErrorCode, ErrorDetails, ErrorRow, ProblemShape } from "./errors.ts";
export { fromRpcError, toRpcError, toSeedError } from "./rpc-error.ts";
export type { RpcErrorShape } from "./rpc-error.ts";
export { limitConsequence, limitNames, limitRow, limitsOf } from "./limits.ts";
export type { LimitName, LimitOverrides, Limits, LimitsProfile } from "./limits.ts";
export { commandFieldRows } from "./limits/command-fields.ts";
export type { LimitRow } from "./limits/row.ts";
export { kindUnknown } from "./kind-unknown.ts";
export { blocksText, contentBlocks } from "./block-text.ts";
export type { PromptContent } from "./block-text.ts";
export { readToolCall, readUpdate, updateKindOf } from "./update-reading.ts";
export type { UpdateKind, UpdateReading } from "./update-reading.ts";
export type {
  AgentKey,
  AgentProgress,
  AgentsFrame,
  AgentSummary,
  LastChoice,
  AttachedFrame,
  EventsFrame,
  GapFrame,
  GatewayFrame,
  PeopleFrame,
  PingFrame,
  ReplyFrame,
  RulesDamage,
  RulesDamageFrame,
  SessionsFrame,
  SessionSummary,
  TerminalFrame,
} from "./frames.ts";
export {
  operationNames,
  operations,
  roles,
  routeOf,
  rowOf,
  sessionFieldOf,
} from "./operations/table.ts";
export type {
  CommandName,
  HttpOperationName,
  Operation,
  OperationName,
  Role,
  Route,
  Scope,
} from "./operations/table.ts";
export type { Input, Output, ReadonlyDeep } from "./operations/contracts.ts";
export { decodeEvent, decodeLine } from "./decode.ts";
export type { UnknownEvent } from "./decode.ts";
export {
  confinementOf,
  decisionOf,
  isAwaited,
  newExecution,
  readExecution,
  runOf,
  withDecision,
  withReading,
} from "./execution.ts";
export type {
  AgentRun,
  CallTerminal,
  Decision,
  Execution,
  ExecutionReading,
  ExecutionReport,
  TerminalFacts,
  TerminalLookup,
  TerminalRun,
} from "./execution.ts";
export { changeQueue } from "./queue-order.ts";
export type { QueueEntries } from "./queue-order.ts";
export { idleExitText, waitingText } from "./agent-text.ts";
export {
  confinementWords,
  executionBadge,
  executionText,
  isExecutionKnown,
} from "./execution-text.ts";
export type { ExecutedCall, ExecutionBadge, ExecutionNames } from "./execution-text.ts";
export { promptPreview } from "./prompt-preview.ts";
export { personName } from "./person-name.ts";
export { fold, foldWithChanges } from "./fold.ts";
export type { Change, ItemChange } from "./fold/change.ts";
export { isOpenToolCall } from "./fold/lookup.ts";
export { isAnotherCall } from "./another-call.ts";
export type { CallSource, LatestCall } from "./another-call.ts";
export { activeAfter } from "./activity.ts";
export { changesSummary, foldSummary, summaryOf, summaryPartsOf } from "./summary.ts";
export type { SummaryParts } from "./summary.ts";
export { sandboxRequest } from "./sandbox-request.ts";
export { acpMeta, messageBytesHeader } from "./acp-meta.ts";
export { readAcpUpdate, writeAcpUpdate } from "./acp-update-text.ts";
export type { AcpUpdatePlace } from "./acp-update-text.ts";
export { emptyView, viewBefore } from "./view/empty.ts";
export { trimView } from "./view/trim.ts";
export type {
  AgentExit,
  AgentState,
  EndedTurn,
  FilesView,
  NamedPlan,
  NoiseView,
  OpenAsk,
  QueuedPrompt,
  SessionState,
  SessionView,
  Subagent,
  TerminalView,
  Thread,
  ToolUse,
  TouchedFile,
  TurnState,
  UsageView,
} from "./view.ts";
export type {
  AgentExitedItem,
  AgentStartedItem,
  AskItem,
  Block,
  CompactionItem,
  ErrorItem,
  Item,
  ItemType,
  MessageItem,
  NoticeItem,
  PermissionItem,
  PromptItem,
  QuestionItem,
  SessionMessageItem,
  ThoughtItem,
  ToolCallItem,
  TurnEnd,
  TurnEndedItem,
  UnknownItem,
} from "./view/item.ts";
export { chosenName, isModeOption, offers, withConfigOptions, withMode } from "./mode-choice.ts";
export type { ModeChoice } from "./mode-choice.ts";
export { blobOf, filledStringOf, numberOf, recordOf } from "./raw-value.ts";
export { isRecord } from "./record.ts";
export { isToolKind, toolKinds } from "./tool-kinds.ts";
export { endOfString, hasNul, replaceMember, skipSpace, textOfMember } from "./json-text.ts";
