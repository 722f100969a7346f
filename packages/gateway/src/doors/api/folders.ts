import { homedir } from "node:os";
import type { DoorApp, DoorContext } from "../context.ts";
import { listFolders } from "../folder-listing.ts";
import { shortText } from "./query.ts";

/** Folders of this machine, for choosing where a new session works. */
export function addFolderRoute(app: DoorApp, { services }: DoorContext): void {
  const { limits } = services;
  app.on("GET", "/api/folders", async (request) => {
    const path = shortText(request, "path", limits.pathLength) ?? homedir();
    return request.json(await listFolders(path, limits));
  });
}
