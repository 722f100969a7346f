/** Why a tool call cannot run, as text that the model can act on. */
export function inputProblem(error: unknown, tool: string, names: readonly string[]): string {
  if (!names.includes(tool)) {
    return `There is no tool “${tool}”. The tools are: ${names.join(", ") || "none"}.`;
  }
  const issues = issuesOf(error);
  if (issues.length > 0) {
    return `The input of ${tool} is wrong: ${issues.join("; ")}. Correct it and call the tool again.`;
  }
  return `The input of ${tool} is not a JSON object. Send it again as one, with quotes and line breaks escaped.`;
}

interface Issue {
  path?: unknown;
  message?: unknown;
}

/** The schema's issues, anywhere in the chain of causes. */
function issuesOf(error: unknown): string[] {
  const seen = new Set<unknown>();
  let current = error;
  while (typeof current === "object" && current !== null && !seen.has(current)) {
    seen.add(current);
    const { issues, cause } = current as { issues?: unknown; cause?: unknown };
    if (Array.isArray(issues)) return (issues as Issue[]).slice(0, 10).map(issueText);
    current = cause;
  }
  return [];
}

function issueText({ path, message }: Issue): string {
  const place = Array.isArray(path) ? path.map(String).join(".") : "";
  const words = typeof message === "string" ? message : "not as the schema wants it";
  return place === "" ? words : `${place}: ${words}`;
}
