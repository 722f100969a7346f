import { agentContract } from "./agent-contract.ts";
import { codex } from "./codex.ts";

agentContract(codex);
