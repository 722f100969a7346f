import { LandlineError } from "@landline/protocol";
import type { Query } from "./gateway-address.ts";
import { sessionPath } from "./http-api.ts";
import { terminalPath } from "./terminal-stream.ts";
import type { CommandMessage } from "./wire.ts";

export interface CommandRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly query?: Query;
}

type Fields = Readonly<Record<string, unknown>>;

/** A command as the request that does the same. Throws `method-not-found` where there is none. */
export function requestOf(command: CommandMessage): CommandRequest {
  const { id: _, type, ...fields } = command;
  const { sessionId, promptId, askId, agent, ...body } = fields;
  const session = sessionPath(String(sessionId));
  const prompt = `${session}/prompts/${encodeURIComponent(String(promptId))}`;
  const terminal = terminalPath(String(fields["terminalId"]));
  const agentPath = `api/agents/${encodeURIComponent(String(agent))}`;
  const signIn = `${agentPath}/sign-in`;
  switch (type) {
    case "open":
      return { method: "POST", path: "api/sessions", body: fields };
    case "prompt":
      return { method: "POST", path: `${session}/prompts`, body: { promptId, ...body } };
    case "change-prompt":
    case "move-prompt":
      return { method: "PATCH", path: prompt, body };
    case "withdraw-prompt":
      return { method: "DELETE", path: prompt };
    case "answer": {
      const path = `${session}/asks/${encodeURIComponent(String(askId))}`;
      return { method: "POST", path, body };
    }
    case "rename":
      return { method: "PATCH", path: session, body };
    case "close":
      return { method: "DELETE", path: session };
    case "delete":
      return { method: "DELETE", path: session, query: { erase: true } };
    case "sign-in":
      return { method: "POST", path: signIn, body };
    case "answer-sign-in":
      return { method: "POST", path: `${signIn}/answer`, body };
    case "cancel-sign-in":
      return { method: "DELETE", path: signIn };
    case "sign-out":
      return { method: "POST", path: `${agentPath}/sign-out` };
    case "terminal-input":
      return { method: "POST", path: `${terminal}/input`, body: { text: fields["text"] } };
    case "terminal-resize": {
      const { columns, rows } = fields;
      return { method: "POST", path: `${terminal}/size`, body: { columns, rows } };
    }
    default:
      return actionOf(type, session, body);
  }
}

const actions: Readonly<Record<string, string>> = {
  cancel: "cancel",
  "set-mode": "mode",
  "set-config": "config",
  fork: "fork",
};

function actionOf(type: string, session: string, body: Fields): CommandRequest {
  const action = actions[type];
  if (action === undefined) {
    throw new LandlineError("method-not-found", {
      message: "That needs a WebSocket, and none can be opened here.",
      help: "Let WebSockets through whatever stands between this page and the gateway.",
    });
  }
  const hasBody = Object.keys(body).length > 0;
  return { method: "POST", path: `${session}/${action}`, ...(hasBody ? { body } : {}) };
}
