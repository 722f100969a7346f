import type {
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  CreateTerminalRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk";

/**
 * The client at the other end, for those who must not know how ACP is spoken. Updates of one session
 * leave in order, and before the answer of the prompt that caused them.
 */
export interface Client {
  readonly capabilities: ClientCapabilities;
  update(sessionId: string, update: SessionUpdate): void;
  requestPermission(
    params: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>;
  elicit(params: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
  readTextFile(sessionId: string, path: string, signal?: AbortSignal): Promise<string>;
  writeTextFile(sessionId: string, path: string, content: string): Promise<void>;
  createTerminal(params: CreateTerminalRequest): Promise<string>;
  terminalOutput(sessionId: string, terminalId: string): Promise<TerminalOutputResponse>;
  waitForTerminalExit(sessionId: string, terminalId: string): Promise<WaitForTerminalExitResponse>;
  killTerminal(sessionId: string, terminalId: string): Promise<void>;
  releaseTerminal(sessionId: string, terminalId: string): Promise<void>;
}
