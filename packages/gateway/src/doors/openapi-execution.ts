/** How a tool call was executed: `execution` of each tool call in a view, an export and the audit. */

const confinement = {
  description: "Null: not confined by Landline. Absent: not recorded.",
  type: ["object", "null"],
  required: ["sandbox", "network"],
  properties: {
    sandbox: { type: "string", enum: ["bubblewrap", "sandbox-exec"] },
    network: {
      description: "Off, on, or the hosts that it may reach.",
      oneOf: [
        { type: "string", enum: ["off", "on"] },
        { type: "array", items: { type: "string" } },
      ],
    },
  },
};

const decision = {
  type: "object",
  required: ["askId", "outcome", "by"],
  properties: {
    askId: { type: "string" },
    outcome: { type: "string", enum: ["open", "allowed", "rejected", "unanswered"] },
    by: { description: "The client, the rule, or why the gateway did.", type: ["object", "null"] },
    option: { description: "The kind of the option that was chosen.", type: "string" },
    rule: { description: "The rule in words, as it was then.", type: "string" },
  },
};

export const executionSchema = {
  type: "object",
  required: ["by", "agent", "decisions"],
  properties: {
    by: {
      description: "landline: in a terminal that the gateway ran. agent: by the agent itself.",
      type: "string",
      enum: ["landline", "agent"],
    },
    agent: { type: "string" },
    isBuiltIn: { description: "The agent is Landline's own.", const: true },
    confinement,
    hasLeftSandbox: { description: "It was run again outside the sandbox.", const: true },
    agentConfinement: confinement,
    terminals: { type: "array", items: { type: "object" } },
    decisions: { type: "array", items: decision },
    report: { description: "What Landline's own agent says of it.", type: "object" },
  },
};

const entriesWith = (name: string, properties: object) => ({
  type: "object",
  properties: { [name]: { type: "array", items: { type: "object", properties } } },
});

const execution = { $ref: "#/components/schemas/Execution" };

/** What answers say of executions, by their addresses; the rest of them is not described. */
export const executionAnswers: Readonly<Record<string, object>> = {
  "/api/sessions/{id}": {
    type: "object",
    properties: {
      view: {
        description: "Items of the type tool-call have an execution, in subagents too.",
        ...entriesWith("items", { execution }),
      },
    },
  },
  "/api/sessions/{id}/export": entriesWith("executions", {
    first: { type: "integer" },
    toolCallId: { type: "string" },
    words: { type: "string" },
    execution,
  }),
  "/api/audit": entriesWith("entries", {
    detail: {
      type: "object",
      properties: {
        execution,
        executed: { description: "The same as a sentence.", type: "string" },
      },
    },
  }),
};
