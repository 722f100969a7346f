import { visibleAgents } from "../visible-agents.ts";
import type { Implementations } from "./operation.ts";

/** Lists agents, and signs in to them and out of them. */
export const agentOperations = {
  "list-agents": async (_input, { services, principal }) => ({
    agents: visibleAgents(await services.agents.list(), principal.role),
  }),
  "list-sign-in-methods": async ({ agent }, { services }) => ({
    agent,
    methods: await services.agents.signInMethods(agent),
  }),
  "sign-in": async ({ agent, methodId }, { services, principal }) => {
    await services.agents.signIn(agent, methodId, principal.clientId);
    return { agent, methodId };
  },
  "answer-sign-in": ({ agent, ...answer }, { services, principal }) => {
    services.agents.answerSignIn(agent, answer, principal.clientId);
    return { agent };
  },
  "cancel-sign-in": ({ agent }, { services, principal }) =>
    services.agents.cancelSignIn(agent, principal.clientId),
  "sign-out": async ({ agent }, { services, principal }) => {
    await services.agents.signOut(agent, principal.clientId);
    return { agent };
  },
  "list-agent-sessions": ({ agent, ...query }, { services }) =>
    services.agents.sessions(agent, query),
  "forget-choices": ({ agent }, { services }) => services.agents.forgetChoices(agent),
} satisfies Partial<Implementations>;
