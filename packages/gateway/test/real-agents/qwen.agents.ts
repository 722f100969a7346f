import { agentContract } from "./agent-contract.ts";
import { qwen } from "./qwen.ts";

agentContract(qwen);
