import { SUMMARY_PROMPT, TITLE_PROMPT } from "../../core/prompt-prefixes.ts";
import { loopLimits } from "../../limits.ts";

/** Answers requests for a title or a summary; null for others. Uses no tools. */
export function titleOrSummary(system: string, request: string): string | null {
  if (system.startsWith(TITLE_PROMPT)) return titleOf(request);
  if (system.startsWith(SUMMARY_PROMPT)) return summaryOf(request);
  return null;
}

/** The first words of the request. */
function titleOf(request: string): string {
  const line = request.split("\n").find((each) => each.trim() !== "") ?? "";
  const words = line
    .replaceAll(/["'`“”*_#<>]/g, "")
    .replace(/^(please|can you|could you)\s+/i, "")
    .replaceAll(/\s+/g, " ")
    .replace(/[\s.,:;!?]+$/, "")
    .trim();
  if (words === "") return "New conversation";
  const capital = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (capital.length <= loopLimits.titleCharacters) return capital;
  const cut = capital.slice(0, loopLimits.titleCharacters - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), 20)).trimEnd()}…`;
}

const LINES_KEPT = 15;

/** The first and last lines, shortened. */
function summaryOf(request: string): string {
  const lines = request
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => (line.length > 200 ? `${line.slice(0, 199)}…` : line));
  const left = Math.max(0, lines.length - 2 * LINES_KEPT);
  const kept =
    left === 0
      ? lines
      : [...lines.slice(0, LINES_KEPT), `(${left} lines left out)`, ...lines.slice(-LINES_KEPT)];
  return ["Made by the demo model, which only shortens:", ...kept].join("\n");
}
