import { agentContract } from "./agent-contract.ts";
import { opencode } from "./opencode.ts";

agentContract(opencode);
