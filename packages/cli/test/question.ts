import type { AskOpened } from "@landline/protocol";

export const question: AskOpened = {
  kind: "ask-opened",
  askId: "q",
  ask: "question",
  request: {
    sessionId: "s",
    message: "Which?",
    mode: "form",
    requestedSchema: { type: "object", properties: {} },
  },
};
