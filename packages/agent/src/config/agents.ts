import { readFile } from "node:fs/promises";
import type { Rule } from "../permission/rule.ts";
import type { AgentDefinition } from "./config.ts";
import {
  defaultRules,
  exploreRules,
  generalRules,
  noPlanExit,
  planRules,
} from "./default-rules.ts";
import { rulesOfPermission, rulesOfTools } from "./permission-setting.ts";
import type { AgentSetting } from "./schema.ts";

/** What is known of an agent before rules are put together. */
interface BuiltInAgent {
  name: string;
  description: string;
  role: AgentDefinition["role"];
  prompt: string | undefined;
  /** They hold against what a person allows for all agents; only rules for this very agent change them. */
  restrictions: readonly Rule[];
}

export interface AgentSource {
  setting: AgentSetting;
  /** Rules beside `permission` and `tools`. */
  rules?: readonly Rule[];
  /** The file that says so. */
  source: string;
}

/**
 * All agents: the built-in ones as changed by configuration, and the added ones. The rules of each are
 * whole: defaults, then what holds for all, then the agent's restrictions, then what holds for it alone.
 */
export async function buildAgents(
  sources: ReadonlyMap<string, readonly AgentSource[]>,
  sharedRules: readonly Rule[],
  home: string,
): Promise<AgentDefinition[]> {
  const builtIn = await builtInAgents();
  const ids = new Set([...Object.keys(builtIn), ...sources.keys()]);
  return [...ids].flatMap((id) => {
    const agent = buildAgent(id, builtIn[id], sources.get(id) ?? [], sharedRules, home);
    return agent === null ? [] : [agent];
  });
}

function buildAgent(
  id: string,
  base: BuiltInAgent | undefined,
  sources: readonly AgentSource[],
  sharedRules: readonly Rule[],
  home: string,
): AgentDefinition | null {
  const setting = Object.assign({}, ...sources.map((source) => source.setting)) as AgentSetting;
  if (setting.disable === true) return null;
  const restrictions = base?.restrictions ?? noPlanExit;
  return {
    id,
    name: setting.name ?? base?.name ?? id,
    description: setting.description ?? base?.description ?? `The agent ${id}`,
    role: setting.mode === "all" ? "both" : (setting.mode ?? base?.role ?? "both"),
    prompt: setting.prompt ?? base?.prompt,
    model: setting.model,
    rules: [
      ...defaultRules,
      ...sharedRules,
      ...restrictions,
      // A restriction may say "ask" or "allow" where a person said "never": never wins.
      ...sharedRules.filter((rule) => rule.action === "deny"),
      ...sources.flatMap((source) => rulesOfSource(source, home)),
    ],
    steps: setting.steps ?? setting.maxSteps,
    hidden: setting.hidden ?? false,
  };
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
    readProse(new URL("./agents/plan.md", import.meta.url)),
    readProse(new URL("./agents/general.md", import.meta.url)),
    readProse(new URL("./agents/explore.md", import.meta.url)),
  ]);
  return {
    build: {
      name: "Build",
      description:
        "Does the work: reads, changes and runs things, and asks where the rules say so.",
      role: "primary",
      prompt: undefined,
      restrictions: noPlanExit,
    },
    plan: {
      name: "Plan",
      description: "Looks and thinks, changes nothing, and ends with a plan for you to approve.",
      role: "primary",
      prompt: plan,
      restrictions: planRules,
    },
    general: {
      name: "General",
      description:
        "Does a task of several steps on its own: research, changes over many files, checks. Use it to work on independent parts at the same time.",
      role: "subagent",
      prompt: general,
      restrictions: [...noPlanExit, ...generalRules],
    },
    explore: {
      name: "Explore",
      description:
        "Looks around in the project and answers questions about it without changing anything: where things are, how they work, who uses them.",
      role: "subagent",
      prompt: explore,
      restrictions: [...noPlanExit, ...exploreRules],
    },
  };
}

async function readProse(place: URL): Promise<string> {
  return (await readFile(place, "utf8")).trim();
}
