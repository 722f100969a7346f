import { homedir } from "node:os";
import packageFacts from "../../../package.json" with { type: "json" };
import type { DoorApp, DoorContext } from "../context.ts";

/** Who asks, who else may come in, and where the gateway is. */
export function addMeRoute(app: DoorApp, { services }: DoorContext): void {
  app.on("GET", "/api/me", (request) => {
    const { clientId, role } = request.var.principal;
    return request.json({
      clientId,
      role,
      people: services.tokens.names,
      rulesDamage: services.rules.damage,
      cwd: process.cwd(),
      home: homedir(),
      version: packageFacts.version,
    });
  });
}
