import type { DoorApp, DoorContext } from "../context.ts";
import { Tickets } from "../tickets.ts";
import { bodyOf } from "./body.ts";
import { wrongField } from "./query.ts";

/** Tickets for downloads, which browsers fetch without a header of ours. */
export function addTicketRoute(app: DoorApp, context: DoorContext): void {
  app.on("POST", "/api/tickets", async (request) => {
    const { address } = await bodyOf("add-ticket", request, context);
    if (!Tickets.isFor(address)) throw wrongField("address", "must be the address of an export");
    return request.json({ ticket: context.tickets.issue(request.var.principal, address) }, 201);
  });
}
