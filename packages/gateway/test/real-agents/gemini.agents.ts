import { agentContract } from "./agent-contract.ts";
import { gemini } from "./gemini.ts";

agentContract(gemini);
