import type { AgentDefinition } from "../config/config.ts";
import { ModelProblem, type ModelInfo } from "../model/model.ts";
import { SessionProblem } from "./session-problem.ts";
import type { Session } from "./session.ts";

/** What a command chose for its own turn. */
export interface Override {
  mode?: string;
  model?: string;
}

/** The agent that a session is: its mode, or the helper that it was made for. */
export function definitionOf({ state, parts }: Session, override: Override): AgentDefinition {
  const { agents, defaultMode } = parts.project.config;
  const wanted = [state.created.parent?.agent ?? override.mode ?? state.mode, defaultMode, "build"];
  // A mode may have gone from the config since it was chosen.
  const definition =
    wanted.map((id) => agents.find((each) => each.id === id)).find(Boolean) ??
    agents.find((each) => each.role !== "subagent");
  if (!definition) {
    throw new SessionProblem("unknown-mode", "The config turns all modes off. Leave one on.");
  }
  return definition;
}

/**
 * The model that answers: the one that was chosen, or the command's or mode's own, or that of the session
 * that is helped; `otherwise` when nobody chose any. Throws ModelProblem when the one that a person chose can't be used: nothing goes to
 * another provider than they chose.
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
  const words = `The model ${chosen} is not there now. Choose another, or start its server; \`/models\` lists those that can be used.`;
  throw new ModelProblem("unknown-model", words);
}

/** The one that answers the next prompt, for those who only look. */
export function modelOrDefault(session: Session): ModelInfo {
  const best = session.parts.models.default();
  try {
    return modelOf(session, {}, best);
  } catch (error) {
    if (error instanceof ModelProblem) return best;
    throw error;
  }
}
