import packageFacts from "../../../package.json" with { type: "json" };
import type { DoorApp, DoorContext } from "../context.ts";

/** The gateway itself: whether it is well, which agents it has, what it counts. */
export function addAgentRoutes(app: DoorApp, { services }: DoorContext): void {
  app.on("GET", "/api/health", (request) =>
    request.json({ status: "ok", version: packageFacts.version, limits: services.profile }),
  );
  app.on("GET", "/api/agents", async (request) =>
    request.json({ agents: await services.agents.list() }),
  );
  app.on("GET", "/metrics", async (request) => {
    const text = await services.metrics.render();
    return request.body(text, 200, { "content-type": services.metrics.contentType });
  });
}
