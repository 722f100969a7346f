import { validate } from "@hyperjump/json-schema/openapi-3-1";
import { operationNames, routeOf, rowOf } from "@landline/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestGateway } from "./test-gateway.ts";

let test: TestGateway;
beforeAll(async () => {
  test = await TestGateway.start();
});
afterAll(() => test[Symbol.asyncDispose]());

interface Document {
  readonly openapi: string;
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: object }> } }>
  >;
}

async function document(): Promise<Document> {
  return (await (await test.ask("/api/openapi.json")).json()) as Document;
}

/** The paths in the table, with `{name}` for parameters. operations.test.ts calls each of them. */
function routes(): Set<string> {
  const named = operationNames
    .filter((name) => rowOf(name).http !== null)
    .map((name) => routeOf(name))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  return new Set(named);
}

describe("the OpenAPI document", () => {
  it("is valid by the meta-schema of OpenAPI 3.1, and so are its schemas", async () => {
    const isDocument = await validate("https://spec.openapis.org/oas/3.1/schema-base");
    const output = isDocument((await document()) as never, "BASIC");
    expect(output.valid ? [] : output.errors).toEqual([]);
    expect(isDocument({ openapi: "3.1.0", info: {} }).valid).toBe(false);
  });

  it("contains every path, and no others", async () => {
    const { openapi, paths } = await document();
    expect(openapi).toBe("3.1.0");
    const named = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(new Set(named)).toEqual(routes());
  });

  it("describes where executions of tool calls are reported", async () => {
    const { components } = (await document()) as unknown as {
      components: { schemas: Record<string, object> };
    };
    const { Execution: execution, Item: item } = components.schemas;
    expect(execution).toMatchObject({ properties: { decisions: { type: "array" } } });
    expect(JSON.stringify(item)).toContain('"$ref":"#/components/schemas/Execution"');
  });

  it("contains the bodies as they are validated", async () => {
    const { paths } = await document();
    const open = paths["/api/sessions"]!["post"]!.requestBody!.content["application/json"]!.schema;
    expect(open).toMatchObject({
      type: "object",
      required: ["agent", "cwd"],
      properties: { agent: { type: "string" }, cwd: { type: "string" }, roots: { type: "array" } },
    });
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        if (!requestBody) continue;
        const { schema } = requestBody.content["application/json"]!;
        expect([path, method, Object.keys(schema).length > 1]).toEqual([path, method, true]);
      }
    }
  });
});
