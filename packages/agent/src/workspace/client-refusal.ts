import { errorMessage } from "@landline/system/error-message";
/**
 * The meaning of a client's error. Clients report "not found" in many ways, often as an internal error with
 * the system's message in `message` or `data`.
 */
export type ClientRefusal =
  | "not-found"
  | "outside"
  | "not-offered"
  | "denied"
  | "is-a-directory"
  | "other";

const resourceNotFound = -32_002;
const methodNotFound = -32_601;

const meanings: [ClientRefusal, RegExp][] = [
  [
    "outside",
    /\b(?:outside|not (?:inside|within|under|part of)|not in)\b.*\b(?:work ?tree|work ?space|project|root|folder|director)|(?:work ?tree|work ?space|project) (?:does not|doesn't) contain|no (?:work ?tree|work ?space|project) (?:for|contains)/i,
  ],
  ["is-a-directory", /\bEISDIR\b|\bis a (?:directory|folder)\b/i],
  [
    "not-found",
    /\bENOENT\b|no such file|not found|does not exist|doesn't exist|cannot find|can't find|could ?n[o']t find|os error 2\b|unknown (?:file|resource)/i,
  ],
  [
    "denied",
    /\bEACCES\b|\bEPERM\b|permission denied|access denied|not allowed|not permitted|forbidden/i,
  ],
];

export function refusalOf(error: unknown): ClientRefusal {
  const code = codeOf(error);
  if (code === methodNotFound) return "not-offered";
  const text = wordsOf(error);
  const meaning = meanings.find(([, words]) => words.test(text))?.[0];
  if (meaning === "outside") return meaning;
  return code === resourceNotFound ? "not-found" : (meaning ?? "other");
}

/** The client's message and `data` on one line. */
export function wordsOf(error: unknown): string {
  const message = errorMessage(error);
  const data = dataOf(error);
  return (data === "" ? message : `${message} (${data})`).replaceAll(/\s+/g, " ").slice(0, 1_000);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function dataOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("data" in error)) return "";
  const { data } = error;
  if (data === undefined || data === null) return "";
  return typeof data === "string" ? data : (JSON.stringify(data) ?? "");
}
