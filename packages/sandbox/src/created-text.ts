import { protectionReason } from "@landline/shell";
import type { CreatedPlace } from "./created-places.ts";
import { quoted } from "./quoted-path.ts";

/** The text that a person reads about protected places that a confined program created. */
export interface CreatedText {
  readonly title: string;
  readonly text: string;
  /** Why only a person may allow it. Each reason is a clause. */
  readonly reasons: readonly string[];
  readonly options: readonly CreatedOption[];
}

/** One answer that a person can choose. */
export interface CreatedOption {
  readonly id: "keep" | "reject";
  readonly name: string;
  readonly kind: "allow_once" | "reject_once";
}

const options: readonly CreatedOption[] = [
  { id: "keep", name: "Allow", kind: "allow_once" },
  { id: "reject", name: "Reject", kind: "reject_once" },
];

/** `who` is "the command" or the name of an agent. `display` formats a path for the person. */
export function createdText(
  places: readonly CreatedPlace[],
  who: string,
  display: (path: string) => string,
): CreatedText {
  const names = places.map(({ path }) => display(path)).join(", ");
  const reasons = places.map(({ path }) => reasonFor(path, display(path)));
  const lines = [
    `${who.charAt(0).toUpperCase()}${who.slice(1)} made ${names}.`,
    ...reasons.map((reason) => `Note that ${reason}.`),
    ...places.map((place) => asideWords(place, display)),
    "If you allow it, it gets its name back. If you reject it, it is deleted. Without an answer it stays as it is.",
  ];
  return {
    title: `Keep ${names}, which ${who} made`,
    text: lines.join("\n"),
    reasons,
    options,
  };
}

function asideWords({ renamed, aside }: CreatedPlace, display: (path: string) => string): string {
  return aside === null
    ? `${display(renamed)} could not be renamed, so other programs use it already.`
    : `${display(renamed)} was renamed to ${quoted(display(aside))}.`;
}

function reasonFor(path: string, shown: string): string {
  return protectionReason([path], "write", shown)?.message ?? `${shown} is a folder of the PATH`;
}
