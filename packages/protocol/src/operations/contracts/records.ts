import { z } from "zod";
import { type Contract, input, limit, numberInQuery, session } from "../contract.ts";
import { bounds } from "../fields.ts";
import { time } from "../shapes/acp.ts";
import type { OperationName } from "../table.ts";

const path = z.string().max(bounds.pathLength);

/** What was said and done, and the files where it happens. */
export const recordContracts = {
  search: {
    summary: "Find words in all sessions, newest first",
    input: input({
      q: z.string().min(1).max(bounds.searchQueryLength).describe("The words."),
      session: session.exactOptional(),
      limit: numberInQuery(1, bounds.searchHits).exactOptional(),
    }),
    output: z.object({
      hits: z.array(
        z.object({
          sessionId: z.string(),
          seq: z.int().describe("The event that began what was found."),
          at: time,
          kind: z.string(),
          snippet: z.object({
            text: z.string(),
            marks: z
              .array(z.tuple([z.int(), z.int()]))
              .describe("Where the words are: [from, to)."),
          }),
        }),
      ),
    }),
  },
  audit: {
    summary: "The audit log, oldest first; as lines for `Accept: application/jsonl`",
    input: input({
      session: session.exactOptional(),
      after: path.exactOptional().describe("nextCursor of the page before."),
      limit: limit.exactOptional(),
    }),
    output: z.object({
      entries: z.array(
        z.object({
          sessionId: z.string(),
          seq: z.int(),
          at: time,
          what: z.string(),
          detail: z.looseObject({
            executed: z
              .string()
              .exactOptional()
              .describe("How a call was executed, as a sentence."),
          }),
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
    media: ["application/json", "application/jsonl"],
  },
  "read-blob": {
    summary: "A long text that an event refers to with `$blob`",
    input: input({ hash: z.string(), session }),
    output: z.string(),
    media: ["text/plain"],
  },
  "find-files": {
    summary: "File names in a session's folders, or in a folder for a new session",
    input: input({
      session: session.exactOptional(),
      folder: path.exactOptional().describe("Absolute, instead of a session; for `control`."),
      q: path.exactOptional().describe("Letters of the name, in their order."),
      limit: numberInQuery(1, bounds.filesListed).exactOptional(),
    }),
    output: z.object({
      files: z.array(
        z.object({
          path: z.string(),
          name: z.string(),
          root: z.string(),
          kind: z.enum(["file", "folder"]),
        }),
      ),
      isCut: z.boolean(),
    }),
  },
  "list-folders": {
    summary: "The folders in a folder of the gateway's machine",
    input: input({ path: path.exactOptional().describe("Absolute; without it, the home folder.") }),
    output: z.object({
      path: z.string(),
      parent: z.string().nullable(),
      folders: z.array(z.object({ name: z.string(), path: z.string() })),
      isCut: z.boolean().describe("Whether some were left out."),
    }),
  },
} as const satisfies Partial<Record<OperationName, Contract>>;
