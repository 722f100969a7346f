/** Names of fields in `_meta` of ACP messages between the gateway and its clients. docs/acp.md describes them. */
export const acpMeta = {
  /** The sequence number of an event: of an update, of a response, or where a client resumes. */
  cursor: "acp/cursor",
  /** Whether a turn runs, in the response to a resume. */
  turnState: "acp/turnState",
  /** The session of an update of a subagent, whose `sessionId` is the subagent's own. */
  session: "landline/session",
  /** True: more updates of the same event follow. */
  more: "landline/more",
  /** The id of a prompt, which makes a repeat harmless. */
  promptId: "landline/promptId",
  /** The ids of prompts that a client sent before it resumes. */
  promptIds: "landline/promptIds",
  /** In a resume by a client of version 2: kind and id of the message whose chunks it received last. */
  message: "landline/message",
  /** True in the response to a prompt that was withdrawn before the agent received it. */
  withdrawn: "landline/withdrawn",
  /** The session that `session/new` attaches to. */
  attach: "landline/attach",
  /** The id of a permission request or question, the same on every connection. */
  askId: "landline/askId",
  /** The agent of a listed session. */
  agent: "landline/agent",
  /** The id of a listed session in its agent. */
  agentSessionId: "landline/agentSessionId",
  /** The rule that answered a permission request, as a sentence. */
  rule: "landline/rule",
} as const;

/** The header with which the gateway opens a WebSocket at `/acp`: it reads no longer message. */
export const messageBytesHeader = "landline-message-bytes";
