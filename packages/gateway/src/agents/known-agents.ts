/**
 * Agents that the gateway searches for, by the command names of their current packages. Nothing is downloaded: agents
 * that run with `npx` belong in the user's config.
 */
export interface KnownAgent {
  readonly id: string;
  readonly name: string;
  /** The first one found is used. */
  readonly launches: readonly [Launch, ...Launch[]];
  /** The install command. */
  readonly install: string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

export const knownAgents: readonly KnownAgent[] = [
  known("opencode", "OpenCode", "opencode acp", "opencode-ai"),
  {
    ...known("claude", "Claude Code", "claude-agent-acp", "@agentclientprotocol/claude-agent-acp"),
    // The adapter's name before it moved.
    launches: [launch("claude-agent-acp"), launch("claude-code-acp")],
  },
  known("gemini", "Gemini CLI", "gemini --acp", "@google/gemini-cli"),
  known("qwen", "Qwen Code", "qwen --acp", "@qwen-code/qwen-code"),
  known("codex", "Codex", "codex-acp", "@agentclientprotocol/codex-acp"),
  {
    ...known("goose", "goose", "goose", "@aaif/goose-binary-linux-x64"),
    // The command name of the npm package.
    launches: [
      launch("goose acp --with-builtin developer"),
      launch("goose-binary-linux-x64 acp --with-builtin developer"),
    ],
  },
  known("copilot", "GitHub Copilot", "copilot --acp", "@github/copilot"),
  known("kimi", "Kimi Code", "kimi acp", "@moonshot-ai/kimi-code"),
  known("cline", "Cline", "cline --acp", "cline"),
  known("droid", "Factory Droid", "droid exec --output-format acp", "droid"),
  known("kilo", "Kilo Code", "kilo acp", "@kilocode/cli"),
  known("pi", "Pi", "pi-acp", "pi-acp"),
  known("auggie", "Auggie", "auggie --acp", "@augmentcode/auggie"),
];

function known(id: string, name: string, line: string, npmPackage: string): KnownAgent {
  return { id, name, launches: [launch(line)], install: `npm install --global ${npmPackage}` };
}

function launch(line: string): Launch {
  const [command = "", ...args] = line.split(" ");
  return { command, args };
}
