import { LandlineError } from "@landline/protocol";
import type { NewRule } from "../../duties/rule.ts";
import type { DoorApp, DoorContext, DoorRequest } from "../context.ts";
import { jsonBody } from "./body.ts";
import { oneOf } from "./query.ts";

/** Rules: what is allowed, asked or denied from now on. Each is shown in words, before it is saved too. */
export function addRuleRoutes(app: DoorApp, { services }: DoorContext): void {
  const { rules, limits } = services;
  const inWords = <Wanted extends NewRule>(rule: Wanted) => ({
    ...rule,
    text: rules.describe(rule),
  });
  app.on("GET", "/api/rules", (request) => request.json({ rules: rules.list().map(inWords) }));
  app.on("POST", "/api/rules", async (request) => {
    const sent = await jsonBody(request, limits);
    const { readNewRule } = await import("../../duties/rule-schema.ts");
    const wanted = readNewRule({ ...asObject(sent), by: request.var.principal.clientId });
    if (oneOf(request, "preview", ["true", "false"]) === "true") {
      return request.json(inWords(wanted));
    }
    const rule = await rules.add(wanted);
    return request.json(inWords(rule), 201);
  });
  const remove = async (request: DoorRequest, id: string) => {
    if (!rules.list().some((rule) => rule.id === id)) {
      throw new LandlineError("invalid-params", {
        message: "There is no rule with that id.",
        help: "List the rules with GET /api/rules.",
        data: { field: "id" },
      });
    }
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
