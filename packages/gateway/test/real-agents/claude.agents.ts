import { agentContract } from "./agent-contract.ts";
import { claude } from "./claude.ts";

agentContract(claude);
