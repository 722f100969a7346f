import { z } from "zod";
import { type Contract, input } from "../contract.ts";
import { deviceName, id } from "../fields.ts";
import { time } from "../shapes/acp.ts";
import { roles, type OperationName } from "../table.ts";

const device = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  madeAt: time,
  session: z.string().exactOptional().describe("The one session that it is limited to."),
  isThis: z.boolean().describe("Whether it is the one that calls."),
});

const link = z.object({ token: z.string(), url: z.string().describe("The page, with the token.") });

const accessText = z.string().max(1_024);

/** Access: tokens, links, and how pages authenticate and download. */
export const deviceContracts = {
  "list-devices": {
    summary: "The tokens with which people and programs have access",
    input: input({}),
    output: z.object({ devices: z.array(device) }),
  },
  "add-device": {
    summary: "Create a token; it is returned only once",
    input: input({
      name: deviceName,
      role: z.enum(roles),
      session: id.exactOptional().describe("Limits it to one session, as `watch` or `control`."),
    }),
    output: device.extend(link.shape),
    status: 201,
  },
  "remove-device": {
    summary: "Revoke a token and close its connections: your own, or any token as an admin",
    input: input({ id }),
    output: z.object({ id: z.string(), isThis: z.boolean() }),
  },
  "add-link": {
    summary: "The link that `landline serve` prints, with its token",
    input: input({}),
    output: link,
    status: 201,
  },
  "add-ticket": {
    summary: "A ticket for one download of an export, for the query parameter `ticket`",
    input: input({ address: z.string().max(1_024) }),
    output: z.object({ ticket: z.string() }),
    status: 201,
  },
  "register-key": {
    summary:
      "Register the key of a page with the token of its link, or a secret where it has no keys",
    input: input({
      keyId: accessText.exactOptional().describe("Of a key that may be registered already."),
      publicKey: accessText.exactOptional(),
    }),
    output: z.object({ keyId: z.string(), secret: z.string().exactOptional() }),
    status: 201,
  },
  "request-challenge": {
    summary: "A text for a page to sign with its key",
    input: input({}),
    output: z.object({ challenge: z.string() }),
  },
  "request-token": {
    summary: "A token for a page that has signed a challenge",
    input: input({
      keyId: accessText,
      challenge: accessText,
      origin: accessText,
      signature: accessText,
    }),
    output: z.object({ token: z.string(), expiresInMs: z.number() }),
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
