import { LandlineError } from "@landline/protocol";
import type { NewRule } from "../../duties/rule.ts";
import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import { partRoles, requireRole } from "../roles.ts";
import { jsonBody } from "./body.ts";
import { oneOf } from "./query.ts";

/** Rules: what is allowed, asked or denied from now on. Each is shown in words, before it is saved too. */
export function addRuleRoutes(app: DoorApp, { services }: DoorContext): void {
  const { rules, limits, logger } = services;
  const inWords = async <Wanted extends NewRule>(rule: Wanted) => ({
    ...rule,
    text: await rules.describe(rule),
    notes: await rules.notes(rule),
  });
  app.on("GET", "/api/rules", async (request) => {
    const listed = await Promise.all(rules.list().map(inWords));
    return request.json({ rules: listed, damage: rules.damage });
  });
  app.on("POST", "/api/rules/damage/acknowledge", async (request) => {
    const { damage } = rules;
    await rules.acknowledgeDamage();
    if (damage)
      logger.warn("A person acknowledged the damage of the rules file: rules allow again.", {
        ...damage,
        client: request.var.principal.clientId,
      });
    return request.body(null, 204);
  });
  app.on("POST", "/api/rules", async (request) => {
    const sent = await jsonBody(request, limits);
    const { readNewRule } = await import("../../duties/rule-schema.ts");
    const wanted = readNewRule({ ...asObject(sent), by: request.var.principal.clientId });
    if (oneOf(request, "preview", ["true", "false"]) === "true") {
      return request.json(await inWords(wanted));
    }
    if (wanted.where.in === "everywhere")
      requireRole(request.var.principal, partRoles.everywhereRule);
    const rule = await rules.add(wanted);
    return request.json(await inWords(rule), 201);
  });
  const remove = async (request: DoorRequest, id: string) => {
    const found = rules.list().find((rule) => rule.id === id);
    if (!found) {
      throw new LandlineError("invalid-params", {
        message: "There is no rule with that id.",
        help: "List the rules with GET /api/rules.",
        data: { field: "id" },
      });
    }
    if (found.where.in === "everywhere")
      requireRole(request.var.principal, partRoles.everywhereRule);
    await rules.remove(id);
    return request.body(null, 204);
  };
  app.on("DELETE", "/api/rules/:id", (request) => remove(request, request.req.param("id")));
  app.on("DELETE", "/api/rules", (request) => remove(request, request.req.query("id") ?? ""));
}

function asObject(sent: unknown): object {
  if (typeof sent === "object" && sent !== null && !Array.isArray(sent)) return sent;
  throw new LandlineError("invalid-params", { message: "The body must be an object." });
}
