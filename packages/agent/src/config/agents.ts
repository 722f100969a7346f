import { readFile } from "node:fs/promises";
import type { Rule } from "../permission/rule.ts";
import type { AgentDefinition } from "./config.ts";
import { exploreRules, generalRules, withoutPlanExit, planRules } from "./default-rules.ts";
import { rulesOfPermission, rulesOfTools } from "./permission-setting.ts";
import type { AgentSetting } from "./schema.ts";

/** A built-in agent before the configuration is applied. */
interface BuiltInAgent {
  name: string;
  description: string;
  role: AgentDefinition["role"];
  prompt: string | undefined;
  /** Changed only by rules for this agent, not by rules for all agents. */
  restrictions: readonly Rule[];
}

export interface AgentSource {
  setting: AgentSetting;
  /** Rules in addition to `permission` and `tools`. */
  rules?: readonly Rule[];
  source: string;
  /** From a project that is not trusted: it may remove rights but not grant any. */
  isUntrusted?: true;
}

/**
 * The built-in agents with their configured changes, and configured agents. The rules of each are one source
 * of a session's policy: its restrictions, then the configuration for this agent.
 */
export async function buildAgents(
  sources: ReadonlyMap<string, readonly AgentSource[]>,
  home: string,
): Promise<AgentDefinition[]> {
  const builtIn = await builtInAgents();
  const ids = new Set([...Object.keys(builtIn), ...sources.keys()]);
  return [...ids].flatMap((id) => {
    const agent = buildAgent(id, builtIn[id], sources.get(id) ?? [], home);
    return agent === null ? [] : [agent];
  });
}

function buildAgent(
  id: string,
  base: BuiltInAgent | undefined,
  sources: readonly AgentSource[],
  home: string,
): AgentDefinition | null {
  const own = sources.filter(({ isUntrusted }) => !isUntrusted);
  const untrusted = sources.filter(({ isUntrusted }) => isUntrusted);
  const isKnown = base !== undefined || own.length > 0;
  const setting = Object.assign(
    {},
    ...sources.map((source) => (isKnown && source.isUntrusted ? wordsOf(source) : source.setting)),
  ) as AgentSetting;
  if (setting.disable === true) return null;
  const restrictions = base?.restrictions ?? withoutPlanExit;
  const rulesOf = (given: readonly AgentSource[]) =>
    given.flatMap((source) => rulesOfSource(source, home));
  return {
    id,
    name: setting.name ?? base?.name ?? id,
    description: setting.description ?? base?.description ?? `The agent ${id}`,
    role: setting.mode === "all" ? "both" : (setting.mode ?? base?.role ?? "both"),
    prompt: setting.prompt ?? base?.prompt,
    model: setting.model,
    rules: [...restrictions, ...rulesOf(own)],
    untrustedRules: rulesOf(untrusted),
    steps: setting.steps ?? setting.maxSteps,
    hidden: setting.hidden ?? false,
  };
}

/** An untrusted project may not disable, hide or change the mode of an agent that it did not define. */
function wordsOf({ setting }: AgentSource): AgentSetting {
  const { disable: _disable, mode: _mode, hidden: _hidden, ...words } = setting;
  return words;
}

function rulesOfSource({ setting, rules = [] }: AgentSource, home: string): Rule[] {
  return [
    ...rules,
    ...rulesOfTools(setting.tools ?? {}),
    ...(setting.permission === undefined ? [] : rulesOfPermission(setting.permission, home)),
  ];
}

async function builtInAgents(): Promise<Record<string, BuiltInAgent>> {
  const [plan, general, explore] = await Promise.all([
    readText(new URL("./agents/plan.md", import.meta.url)),
    readText(new URL("./agents/general.md", import.meta.url)),
    readText(new URL("./agents/explore.md", import.meta.url)),
  ]);
  return {
    build: {
      name: "Build",
      description:
        "Does the work: reads, changes and runs things, and asks where the rules say so.",
      role: "primary",
      prompt: undefined,
      restrictions: withoutPlanExit,
    },
    plan: {
      name: "Plan",
      description: "Reads and thinks, changes nothing, and ends with a plan for you to approve.",
      role: "primary",
      prompt: plan,
      restrictions: planRules,
    },
    general: {
      name: "General",
      description:
        "Does a task of several steps independently: research, changes over many files, checks. Use it to work on independent parts at the same time.",
      role: "subagent",
      prompt: general,
      restrictions: [...withoutPlanExit, ...generalRules],
    },
    explore: {
      name: "Explore",
      description:
        "Looks around in the project and answers questions about it without changing anything: where things are, how they work, who uses them.",
      role: "subagent",
      prompt: explore,
      restrictions: [...withoutPlanExit, ...exploreRules],
    },
  };
}

async function readText(file: URL): Promise<string> {
  return (await readFile(file, "utf8")).trim();
}
