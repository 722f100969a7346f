import { forms } from "./grammar.ts";

/** The results of the model selection. */
export interface DemoFacts {
  /** Sources of the keys, such as names of variables. */
  keys: string[];
  /** Local model servers that answered. */
  servers: string[];
  /** Ids of other models that can be chosen. */
  models: string[];
}

export const introduction =
  "I am the demo model: no AI, a fixed set of sentences. The tools that I use, their permissions and their effects are real.";

/** Help text: the instructions, what was found, and how to get a real model. */
export function guide(facts: DemoFacts, tools: readonly string[]): string {
  const sentences = Object.values(forms).map((form) => `- \`${form}\``);
  const mcp = tools.filter((tool) => !ownTools.has(tool));
  return [
    "These are the sentences:",
    sentences.join("\n"),
    "Join them with `then` to do one after the other, or with `and` to do them at once: `read a.txt and read b.txt then run ls`.",
    ...(mcp.length > 0
      ? [`Other tools that are connected: ${mcp.map((tool) => `\`${tool}\``).join(", ")}.`]
      : []),
    found(facts),
    facts.models.length > 0 ? choose(facts.models) : connect,
  ].join("\n\n");
}

const ownTools = new Set(
  "read write edit apply_patch glob grep list bash webfetch todowrite task skill question plan_exit list_mcp_resources read_mcp_resource".split(
    " ",
  ),
);

function found({ keys, servers }: DemoFacts): string {
  const key = keys.length === 0 ? "no key" : `keys in ${keys.join(", ")}`;
  const server =
    servers.length === 0 ? "no model server on the agent’s machine" : servers.join(", ");
  return `What I found: ${key}; ${server}.`;
}

const shownMax = 3;

function choose(models: readonly string[]): string {
  const [first = ""] = models;
  const names = models.slice(0, shownMax).map((name) => `\`${name}\``);
  const rest = models.length - names.length;
  const are = models.length === 1 ? "A real model is" : "Real models are";
  const all = `${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `${are} there already: ${all}. Choose in the menu of models, or write \`/models ${first}\`; \`"model": "${first}"\` in the config makes it the first choice.`;
}

const connect = [
  "A real model is one of these away:",
  "",
  "- `landline agent login` stores a key of Anthropic, OpenAI, Google, OpenRouter, DeepSeek, xAI, Mistral or Groq",
  "- `export ANTHROPIC_API_KEY=…` (or the variable of another of them) before the agent starts",
  "- `ollama pull qwen3-coder`, or LM Studio, llama.cpp, vLLM, Jan or Docker Model Runner on the agent’s machine: they are found by themselves",
].join("\n");
