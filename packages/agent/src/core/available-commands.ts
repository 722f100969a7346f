import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { Session } from "./session.ts";

/** Commands that run without the model. The model does not read them. */
export const builtIns = [
  {
    name: "compact",
    description: "Summarise the conversation, to make room",
    hint: "what to keep in mind",
  },
  {
    name: "undo",
    description: "Undo the last prompt and its file changes",
    hint: undefined,
  },
  { name: "redo", description: "Redo what was undone", hint: undefined },
  {
    name: "status",
    description: "Show the model, its keys, tools, rules and servers of this session",
    hint: undefined,
  },
  {
    name: "models",
    description: "List the models that can be used, or choose one",
    hint: "provider/model",
  },
  {
    name: "trust",
    description: "Show what this project's configuration asks for, and allow it",
    hint: "yes",
  },
  {
    name: "help",
    description: "Describe this agent and list its commands",
    hint: undefined,
  },
] as const;

/** The commands of a session, for the client's menu. */
export function availableCommands(session: Session): AvailableCommand[] {
  const { project, mcp } = session.parts;
  return [
    ...[...builtIns, ...project.config.commands].map(({ name, description, hint = "" }) =>
      available(name, description, hint),
    ),
    ...mcp
      .prompts()
      .map((prompt) => available(prompt.name, prompt.description, prompt.arguments.join(" "))),
  ];
}

function available(name: string, description: string, hint: string): AvailableCommand {
  return hint === "" ? { name, description } : { name, description, input: { hint } };
}
