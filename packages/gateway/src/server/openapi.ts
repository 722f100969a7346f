import { operationNames, routeOf, rowOf, type OperationName } from "@landline/protocol";
import { contracts, shapes, type Contract } from "@landline/protocol/operations";
import { z } from "zod";
import packageFacts from "../../package.json" with { type: "json" };

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** OpenAPI 3.1 of the HTTP operations and the frames of `landline.v1`, generated from the operation table. */
export function openapi(basePath: string): object {
  const shared = sharedSchemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const [address, names] of addresses()) {
    const [method = "", path = ""] = address.split(" ");
    const described = paths[path] ?? {};
    described[method.toLowerCase()] = operationObject(names, shared);
    paths[path] = described;
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
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: { ...shared.schemas, Command: commandSchema() },
      responses: {
        Problem: {
          description: "What went wrong, and what to do about it.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

/** Operations that share an address are one operation in OpenAPI. */
function addresses(): Map<string, OperationName[]> {
  const routed = operationNames.filter((name) => rowOf(name).http !== null);
  return Map.groupBy(routed, (name) => {
    const { method, path } = routeOf(name);
    return `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`;
  });
}

interface SharedSchemas {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly outputs: Readonly<Record<string, JsonSchema>>;
}

const uri = (id: string) => `#/components/schemas/${id}`;

/** Schemas that are used in more than one place are under `components`. */
function sharedSchemas(): SharedSchemas {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shapes)) registry.add(shape, { id });
  const outputs = new Map<string, string>();
  for (const name of operationNames) {
    const { output }: Contract = contracts[name];
    if (output === null) continue;
    if (!registry.has(output)) registry.add(output, { id: `${camelCase(name)}Output` });
    outputs.set(name, registry.get(output)?.id ?? name);
  }
  // As input: a client must accept fields that a later version adds.
  const { schemas } = z.toJSONSchema(registry, { io: "input", unrepresentable: "any", uri });
  const named = Object.entries(schemas).map(([id, schema]) => [id, withoutIds(schema)] as const);
  const references = [...outputs].map(([name, id]) => [name, { $ref: uri(id) }] as const);
  return { schemas: Object.fromEntries(named), outputs: Object.fromEntries(references) };
}

function withoutIds(schema: JsonSchema): JsonSchema {
  const { $id: _id, $schema: _schema, ...rest } = schema;
  return rest;
}

function camelCase(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function operationObject(names: readonly OperationName[], { outputs }: SharedSchemas): object {
  const [first = "health"] = names;
  const described = names.map((name) => describedOperation(name, outputs));
  return {
    operationId: first,
    summary: described.map(({ summary }) => summary).join(". "),
    description: described.map(({ access }) => access).join(" "),
    parameters: unique(described.flatMap(({ parameters }) => parameters)),
    ...described.find(({ requestBody }) => requestBody)?.requestBody,
    responses: {
      ...Object.assign({}, ...described.map(({ responses }) => responses)),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

function unique(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...new Map(parameters.map((one) => [one.name, one])).values()];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: object;
}

function describedOperation(name: OperationName, outputs: SharedSchemas["outputs"]) {
  const contract: Contract = contracts[name];
  const { role, parts = {} } = rowOf(name);
  const higher = Object.entries(parts).map(([part, least]) => ` (${part}: ${least})`);
  const { method, query, pathFields } = routeOf(name);
  const { properties = {}, required = [], ...rest } = inputSchema(contract);
  const hasBody = method === "POST" || method === "PATCH";
  const fields = Object.entries(properties).filter(([field]) => field !== "_meta");
  const parameters = fields
    .filter(([field]) => !hasBody || pathFields.includes(field))
    .map(([field, schema]): Parameter => {
      const place = pathFields.includes(field) ? "path" : "query";
      return {
        name: field,
        in: place,
        required: required.includes(field),
        schema: schema as object,
      };
    });
  const fixed = query.map(([field, value]): Parameter => {
    return { name: field, in: "query", required: false, schema: { enum: [value] } };
  });
  const body = fields.filter(([field]) => !pathFields.includes(field));
  const schema = {
    ...rest,
    properties: { ...Object.fromEntries(body), _meta: properties["_meta"] },
    required: required.filter((field) => !pathFields.includes(field)),
  };
  return {
    summary: [contract.summary, ...query.map(([field, value]) => `with ${field}=${value}`)].join(
      " ",
    ),
    access:
      role === "anyone"
        ? "Needs no token."
        : `Needs a token with the role ${role}${higher.join("")}.`,
    parameters: [...parameters, ...fixed],
    requestBody:
      hasBody && body.length > 0
        ? {
            requestBody: {
              required: method === "PATCH" || schema.required.length > 0,
              content: { "application/json": { schema } },
            },
          }
        : null,
    responses: { [statusOf(contract)]: responseOf(contract, outputs[name]) },
  };
}

/** Preprocessing of a schema is not part of the documented input. */
function inputSchema({ input }: Contract): JsonSchema {
  return withoutIds(z.toJSONSchema(input, { io: "output", unrepresentable: "any" }));
}

function statusOf({ output, status }: Contract): number {
  return output === null ? 204 : (status ?? 200);
}

function responseOf({ summary, media = ["application/json"] }: Contract, output?: JsonSchema) {
  if (output === undefined) return { description: summary };
  const content = media.map((type) => [
    type,
    { schema: type === "application/json" ? output : { type: "string" } },
  ]);
  return { description: summary, content: Object.fromEntries(content) as object };
}

/** A message of a client over `landline.v1`. */
function commandSchema(): object {
  return { oneOf: operationNames.filter((name) => rowOf(name).socket).map(oneCommand) };
}

function oneCommand(name: OperationName): JsonSchema {
  const { properties = {}, required = [], ...rest } = inputSchema(contracts[name]);
  return {
    ...rest,
    description: contracts[name].summary,
    properties: { id: { type: ["string", "integer"] }, type: { const: name }, ...properties },
    required: ["id", "type", ...required],
  };
}
