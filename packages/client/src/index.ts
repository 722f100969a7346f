export { createApi, createLandline } from "./landline.ts";
export { itemsOf } from "./merged-items.ts";
export type * from "./contract.ts";
export type * from "./api.ts";
export type { Credential } from "./credential.ts";
export type { PromptContent } from "@landline/protocol";
export type { Store } from "./store.ts";
