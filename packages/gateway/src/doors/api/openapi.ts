import { loadOnce } from "../../load-once.ts";
import type { DoorApp, DoorContext } from "../context.ts";

/** The description of all this for programs. Made, with what makes it, when it is first asked for. */
export function addOpenapiRoute(app: DoorApp, { services }: DoorContext): void {
  const text = loadOnce(async () => {
    const { openapi } = await import("../openapi.ts");
    return JSON.stringify(openapi(services.address.basePath));
  });
  app.on("GET", "/api/openapi.json", async (request) => {
    return request.body(await text(), 200, { "content-type": "application/json" });
  });
}
