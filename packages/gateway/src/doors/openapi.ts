import { errorCodes } from "@landline/protocol";
import { bodySchemas, type BodyName } from "@landline/protocol/commands";
import { z } from "zod";
import { ruleBodySchema } from "../duties/rule-schema.ts";
import packageFacts from "../../package.json" with { type: "json" };
import { accessOperations } from "./openapi-access.ts";
import { executionAnswers, executionSchema } from "./openapi-execution.ts";
import { operations, type Operation } from "./openapi-operations.ts";
import { routeRoles } from "./roles.ts";

/** OpenAPI 3.1 of the HTTP API: the bodies come from the very schemas that check them. */
export function openapi(basePath: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of [...accessOperations, ...operations]) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: operationObject(operation),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Landline",
      version: packageFacts.version,
      description: "A line to your coding agents that does not drop.",
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
      },
      schemas: { Problem: problemSchema, Execution: executionSchema },
      responses: {
        Problem: {
          description: "What went wrong, and what to do about it.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

const problemSchema = {
  type: "object",
  required: ["code", "message", "help"],
  properties: {
    code: { type: "string", enum: errorCodes },
    message: { type: "string" },
    help: { type: "string" },
    retryAfterMs: { type: "integer", minimum: 0 },
  },
};

function operationObject({
  path,
  summary,
  query = [],
  body,
  status,
  answers,
  method,
}: Operation): object {
  const least = routeRoles[`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = query.map(({ name, about, type = "string", required = false }) => ({
    name,
    in: "query",
    required,
    description: about,
    schema: { type },
  }));
  const parameters = [...inPath, ...inQuery];
  return {
    summary,
    description:
      least === "anyone"
        ? "For pages: see docs/security.md."
        : `Needs a token with the role ${least ?? "admin"}.`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      [status]: {
        description: summary,
        ...contentOf(answers, method === "get" ? executionAnswers[path] : undefined),
      },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function contentOf(types: readonly string[] = [], inJson: object = {}): object {
  if (types.length === 0) return {};
  const schemaOf = (type: string) => ({ schema: type === "application/json" ? inJson : {} });
  return { content: Object.fromEntries(types.map((type) => [type, schemaOf(type)])) };
}

function requestBody(name: BodyName | "rule"): object {
  const source = name === "rule" ? ruleBodySchema : bodySchemas[name];
  // What a schema puts right before it looks is not part of what should be sent.
  const schema = z.toJSONSchema(source, { io: "output", unrepresentable: "any" });
  return { required: true, content: { "application/json": { schema } } };
}
