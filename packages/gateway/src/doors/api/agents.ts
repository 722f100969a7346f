import packageFacts from "../../../package.json" with { type: "json" };
import type { DoorApp, DoorContext } from "../context.ts";
import { shownAgents } from "../shown-agents.ts";
import { bodyOf } from "./body.ts";
import { idParameter } from "./session.ts";

/** The gateway itself: whether it is well, which agents it has, what it counts. */
export function addAgentRoutes(app: DoorApp, context: DoorContext): void {
  const { services } = context;
  app.on("GET", "/api/health", (request) =>
    request.json({ status: "ok", version: packageFacts.version, limits: services.profile }),
  );
  app.on("GET", "/api/agents", async (request) => {
    const agents = await services.agents.list();
    return request.json({ agents: shownAgents(agents, request.var.principal.role) });
  });
  app.on("POST", "/api/agents/:id/sign-in/methods", async (request) => {
    const agent = idParameter(request, "id", services.limits.idLength);
    return request.json({ agent, methods: await services.agents.signInMethods(agent) });
  });
  app.on("POST", "/api/agents/:id/sign-in", async (request) => {
    const { methodId } = await bodyOf("sign-in", request, context);
    const agent = idParameter(request, "id", services.limits.idLength);
    await services.agents.signIn(agent, methodId, request.var.principal.clientId);
    return request.json({ agent, methodId });
  });
  app.on("DELETE", "/api/agents/:id/sign-in", async (request) => {
    const agent = idParameter(request, "id", services.limits.idLength);
    await services.agents.cancelSignIn(agent, request.var.principal.clientId);
    return request.body(null, 204);
  });
  app.on("POST", "/api/agents/:id/sign-in/answer", async (request) => {
    const answer = await bodyOf("answer-sign-in", request, context);
    const agent = idParameter(request, "id", services.limits.idLength);
    services.agents.answerSignIn(agent, answer, request.var.principal.clientId);
    return request.json({ agent });
  });
  app.on("POST", "/api/agents/:id/sign-out", async (request) => {
    const agent = idParameter(request, "id", services.limits.idLength);
    await services.agents.signOut(agent, request.var.principal.clientId);
    return request.json({ agent });
  });
  app.on("DELETE", "/api/agents/:id/choices", async (request) => {
    await services.agents.forgetChoices(idParameter(request, "id", services.limits.idLength));
    return request.body(null, 204);
  });
  app.on("GET", "/metrics", async (request) => {
    const text = await services.metrics.render();
    return request.body(text, 200, { "content-type": services.metrics.contentType });
  });
}
