import type { AgentDefinition } from "../config/config.ts";
import { ModelProblem, type ModelInfo } from "../model/model.ts";
import { SessionProblem } from "./session-problem.ts";
import type { Session } from "./session.ts";

/** The mode and model that a command sets for its turn. */
export interface Override {
  mode?: string;
  model?: string;
}

/** The agent definition of a session: its mode, or the subagent type that it was created for. */
export function definitionOf({ state, parts }: Session, override: Override): AgentDefinition {
  const { agents, defaultMode } = parts.project.config;
  const wanted = [state.created.parent?.agent ?? override.mode ?? state.mode, defaultMode, "build"];
  // The configuration may no longer have the chosen mode.
  const definition =
    wanted.map((id) => agents.find((each) => each.id === id)).find(Boolean) ??
    agents.find((each) => each.role !== "subagent");
  if (!definition) {
    throw new SessionProblem("unknown-mode", "The config turns all modes off. Leave one on.");
  }
  return definition;
}

/**
 * The model of the next answer: the command's or the chosen one, the mode's own, the parent session's, or
 * `otherwise`. Throws ModelProblem when the chosen model is not available: nothing is sent to a provider that
 * the user did not choose.
 */
export function modelOf(session: Session, override: Override, otherwise: ModelInfo): ModelInfo {
  const { models, parent } = session.parts;
  const { model: chosen } = session.state;
  const named = override.model ?? (chosen === null ? session.definition.model : undefined);
  const own = named === undefined ? null : models.find(named);
  if (own) return own;
  if (chosen === null) return parent?.info ?? otherwise;
  const info = models.find(chosen);
  if (info) return info;
  const message = `The model ${chosen} is not available now. Choose another, or start its server; \`/models\` lists those that can be used.`;
  throw new ModelProblem("unknown-model", message);
}

/** The model of the next prompt for display; the default when the chosen one is not available. */
export function modelOrDefault(session: Session): ModelInfo {
  const best = session.parts.models.default();
  try {
    return modelOf(session, {}, best);
  } catch (error) {
    if (error instanceof ModelProblem) return best;
    throw error;
  }
}
