import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { goose } from "./goose.ts";
import { landline } from "./landline.ts";
import { opencode } from "./opencode.ts";
import { qwen } from "./qwen.ts";
import type { RealAgent } from "./real-agent.ts";

/** The agents for `npm run test:agents -- NAME`. Each has a file NAME.agents.ts. */
export const realAgents: readonly RealAgent[] = [
  goose,
  landline,
  gemini,
  claude,
  codex,
  opencode,
  qwen,
];
