import type { Installable } from "./real-agent.ts";

/** A third-party command-line client. It drives the built-in agent without the gateway, and any agent by `landline acp`. */
export const acpx: Installable = { name: "acpx", npmPackage: "acpx", version: "0.19.1" };
