import type { Installable } from "./real-agent.ts";

/** A third-party command-line client. It drives the built-in agent without the gateway. */
export const acpx: Installable = { name: "acpx", npmPackage: "acpx", version: "0.19.1" };
