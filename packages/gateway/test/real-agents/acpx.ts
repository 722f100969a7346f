import type { Installable } from "./real-agent.ts";

/** A client of somebody else, on the command line. It drives our own agent without the gateway. */
export const acpx: Installable = { name: "acpx", npmPackage: "acpx", version: "0.19.1" };
