import type { Operation } from "./openapi-operations.ts";

const json = ["application/json"] as const;

/** How pages come in, and download. */
export const accessOperations: readonly Operation[] = [
  {
    method: "post",
    path: "/access/keys",
    summary:
      "Register the key of a page with the token of its link, or a secret where it has no keys",
    status: 201,
    answers: json,
  },
  {
    method: "post",
    path: "/access/challenge",
    summary: "A text for a page to sign with its key",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/access/token",
    summary: "A token for a page that has signed a challenge",
    status: 200,
    answers: json,
  },
  {
    method: "post",
    path: "/api/tickets",
    summary: "A ticket for one download of one export, to stand as `ticket` in its address",
    body: "add-ticket",
    status: 201,
    answers: json,
  },
];
