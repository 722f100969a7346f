import type { DoorApp, DoorContext } from "../context.ts";

/** The description of all this for programs. Made, with what makes it, when it is first asked for. */
export function addOpenapiRoute(app: DoorApp, { services }: DoorContext): void {
  let text: Promise<string> | undefined;
  app.on("GET", "/api/openapi.json", async (request) => {
    text ??= import("../openapi.ts").then(({ openapi }) =>
      JSON.stringify(openapi(services.address.basePath)),
    );
    return request.body(await text, 200, { "content-type": "application/json" });
  });
}
