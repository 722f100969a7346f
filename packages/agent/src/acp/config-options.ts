import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { PermissionLevel } from "../core/record.ts";
import { modelOrDefault } from "../core/mode-and-model.ts";
import { SessionProblem } from "../core/session-problem.ts";
import type { Session } from "../core/session.ts";
import type { ModelInfo } from "../model/model.ts";

/** The most common choice comes first. */
const levels: { value: PermissionLevel; name: string; description: string }[] = [
  {
    value: "sandboxed",
    name: "Sandboxed",
    description:
      "Edit files of the project and run commands in the sandbox without asking; ask before a command leaves it",
  },
  {
    value: "ask",
    name: "Ask",
    description: "Ask before edits, fetches and commands that do more than read the project",
  },
  {
    value: "accept-edits",
    name: "Accept edits",
    description:
      "Edit files of the project without asking, except protected ones; ask for the rest",
  },
  {
    value: "allow-all",
    name: "Allow all",
    description:
      "Run commands without asking and without a sandbox; ask only about credentials and protected places",
  },
];

export function levelName(level: PermissionLevel): string {
  return levels.find(({ value }) => value === level)?.name ?? level;
}

/** Without a sandbox, `sandboxed` behaves like `accept-edits` and is shown as that. */
function shownLevel({ state, workspace }: Session): PermissionLevel {
  const { permissions } = state;
  const hasNone = typeof workspace.sandbox.known() === "string";
  return permissions === "sandboxed" && hasNone ? "accept-edits" : permissions;
}

function levelsOf(session: Session) {
  const hasSandbox = session.workspace.sandbox.known() === null;
  return levels.filter(
    ({ value }) => value !== "sandboxed" || hasSandbox || shownLevel(session) === value,
  );
}

/**
 * Whether a sandbox works may not be known yet. The level can be set anyway; if none works, the error says
 * why.
 */
function unlistedLevel(session: Session): Pick<SessionConfigOption, "_meta"> {
  const isListed = levelsOf(session).some(({ value }) => value === "sandboxed");
  return isListed ? {} : { _meta: { [UNLISTED]: ["sandboxed"] } };
}

/** In `_meta` of an option: values that are not listed but accepted. A client passes them on. */
const UNLISTED = "landline/unlisted";

/** The options of a session, as ACP's config options and in the two older forms. */
export function sessionOptions(session: Session) {
  return { modes: modes(session), configOptions: configOptions(session), models: models(session) };
}

export function configOptions(session: Session): SessionConfigOption[] {
  const { availableModes, currentModeId } = modes(session);
  const model = modelOrDefault(session);
  const options: SessionConfigOption[] = [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({
        value: id,
        name,
        description: description ?? null,
      })),
    },
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: model.id,
      options: groups(session.parts.models.list()),
    },
    {
      id: "permissions",
      name: "Permissions",
      category: "_permissions",
      type: "select",
      currentValue: shownLevel(session),
      options: levelsOf(session),
      ...unlistedLevel(session),
    },
  ];
  if (model.efforts.length > 0) options.splice(2, 0, effortOption(model, session.state.effort));
  return options;
}

function effortOption(model: ModelInfo, effort: string | null): SessionConfigOption {
  return {
    id: "effort",
    name: "Thinking",
    category: "thought_level",
    type: "select",
    currentValue: effort !== null && model.efforts.includes(effort) ? effort : "default",
    options: ["default", ...model.efforts].map((value) => ({ value, name: capitalised(value) })),
  };
}

function groups(list: ModelInfo[]) {
  const byProvider = Map.groupBy(list, (model) => model.provider);
  return [...byProvider].map(([group, offered]) => ({
    group,
    name: offered[0]?.providerName ?? group,
    options: offered.map(({ id, name }) => ({ value: id, name })),
  }));
}

function modes(session: Session): SessionModeState {
  const { agents } = session.parts.project.config;
  return {
    currentModeId: session.definition.id,
    availableModes: agents
      .filter((agent) => agent.role !== "subagent" && !agent.hidden)
      .map(({ id, name, description }) => ({ id, name, description })),
  };
}

function models(session: Session) {
  return {
    currentModelId: modelOrDefault(session).id,
    availableModels: session.parts.models.list().map(({ id, name }) => ({ modelId: id, name })),
  };
}

/** Throws SessionProblem, or ModelProblem when the model's provider has no key. */
export async function setOption(session: Session, id: string, value: unknown): Promise<void> {
  if (typeof value !== "string")
    throw new SessionProblem("unknown-option", `The value of ${id} must be a string.`);
  switch (id) {
    case "mode":
      return setMode(session, value);
    case "model":
      return setModel(session, value);
    case "permissions":
      return setLevel(session, value);
    case "effort": {
      const { efforts } = session.info;
      if (value !== "default" && !efforts.includes(value))
        throw unknownValue(id, value, ["default", ...efforts]);
      return session.choose({ effort: value });
    }
    default:
      throw new SessionProblem("unknown-option", `There is no option ${id}.`);
  }
}

async function setLevel(session: Session, value: string): Promise<void> {
  const problem = value === "sandboxed" ? await session.workspace.sandbox.problem() : null;
  const offered = levelsOf(session);
  const level = offered.find((each) => each.value === value);
  if (level) return session.choose({ permissions: level.value });
  const values = offered.map((each) => each.value);
  throw unknownValue("permissions", value, values, problem);
}

export function setMode(session: Session, modeId: string): void {
  const { availableModes } = modes(session);
  if (!availableModes.some((mode) => mode.id === modeId)) {
    const names = availableModes.map((mode) => mode.id).join(", ");
    throw new SessionProblem("unknown-mode", `There is no mode ${modeId}. There are: ${names}.`);
  }
  session.choose({ mode: modeId });
}

export function setModel(session: Session, modelId: string): void {
  const info = session.parts.models.find(modelId);
  if (!info) {
    throw new SessionProblem(
      "unknown-model",
      `There is no model ${modelId}. \`/models\` lists those that can be used.`,
    );
  }
  session.choose({ model: info.id });
}

function unknownValue(
  id: string,
  value: string,
  values: string[],
  reason: string | null = null,
): SessionProblem {
  const why = reason === null ? "" : ` ${reason}`;
  return new SessionProblem(
    "unknown-option",
    `${id} can't be ${value}.${why} It can be: ${values.join(", ")}.`,
  );
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
