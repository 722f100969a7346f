import { acpMeta, type AskItem, type GatewayReason, type Item } from "@landline/protocol";
import { maskSecrets } from "../../telemetry/mask-secrets.ts";
import { secretFields } from "../../telemetry/mask-answers.ts";
import { prose, type Fact, type Part } from "./parts.ts";

type Settled = NonNullable<AskItem["settled"]>;

interface AskWords {
  readonly heading: string;
  readonly note: string;
  readonly parts: readonly Part[];
}

/** For example "You allowed “npm test” once", with its note. `items` are those of the same thread. */
export function requestText(
  item: AskItem,
  items: readonly Item[],
  nameOf: (clientId: string) => string,
): AskWords {
  const subject = subjectOf(item, items);
  if (item.settled === null)
    return { heading: `Not answered yet: ${subject}`, note: "", parts: [] };
  const { by, note } = item.settled;
  const noteParts = prose(note ?? "");
  if ("gateway" in by && by.gateway !== "policy")
    return {
      heading: `${reasons[by.gateway] ?? "Not answered"}: ${subject}`,
      note: "",
      parts: noteParts,
    };
  const option = optionOf(item, item.settled);
  const isOnce = option?.kind === "allow_once" || option?.kind === "reject_once";
  const once = "client" in by && option?.kind === "allow_once" ? " once" : "";
  return {
    heading: `${actorOf(by, nameOf)} ${verbOf(item, item.settled)} ${subject}${once}`,
    note: ruleWords(item.settled) ?? (isOnce ? "" : (option?.name ?? "")),
    parts: [...answerParts(item, item.settled), ...noteParts],
  };
}

/** The description of the rule at that time. */
function ruleWords({ outcome }: Settled): string | null {
  const words = "_meta" in outcome ? outcome._meta?.[acpMeta.rule] : null;
  return typeof words === "string" ? words : null;
}

function subjectOf(item: AskItem, items: readonly Item[]): string {
  if (item.ask === "question") return quoted(item.request.message, "a question");
  // The tool call precedes its permission request, usually directly.
  const call = items.findLast(
    (other) => other.type === "tool-call" && other.toolCallId === item.toolCallId,
  );
  return quoted(call?.type === "tool-call" ? call.title : "", "a tool call");
}

function quoted(text: unknown, otherwise: string): string {
  return typeof text === "string" && text.trim() !== "" ? `“${text.trim()}”` : otherwise;
}

function actorOf(by: Settled["by"], nameOf: (clientId: string) => string): string {
  if ("client" in by) return nameOf(by.client);
  return "rule" in by ? "A rule" : "The settings of the gateway";
}

function verbOf(item: AskItem, settled: Settled): string {
  const { outcome } = settled;
  if ("action" in outcome) return verbs[outcome.action] ?? "answered";
  if (outcome.outcome !== "selected") return "closed";
  return optionOf(item, settled)?.kind.startsWith("reject") ? "rejected" : "allowed";
}

const verbs: Readonly<Record<string, string>> = {
  accept: "answered",
  decline: "declined",
  cancel: "dismissed",
};

function optionOf(item: AskItem, { outcome }: Settled) {
  if (item.ask !== "permission" || !("optionId" in outcome)) return undefined;
  return item.options.find(({ optionId }) => optionId === outcome.optionId);
}

const reasons: Readonly<Record<Exclude<GatewayReason, "policy">, string>> = {
  "turn-cancelled": "Not answered, because the turn was stopped",
  "turn-ended": "Not answered, because the turn ended",
  "agent-gone": "Not answered, because the agent exited",
  timeout: "Not answered in time",
  withdrawn: "Withdrawn by the agent",
  completed: "Completed elsewhere",
};

/** The answered fields of a form, by their titles. */
function answerParts(item: AskItem, { outcome }: Settled): readonly Part[] {
  const { content } = outcome as { content?: unknown };
  if (item.ask !== "question" || typeof content !== "object" || content === null) return [];
  const properties = propertiesOf(item.request);
  const secrets = secretFields(item.request);
  const facts = Object.entries(maskSecrets(content) as object).map(
    ([name, value]: [string, unknown]): Fact => {
      const field = fieldOf(properties[name]);
      const values = Array.isArray(value) ? (value as unknown[]) : [value];
      const words = secrets.has(name)
        ? "not shown"
        : values.map((one) => titleOf(field, one)).join(", ");
      return [typeof field.title === "string" ? field.title : name, words];
    },
  );
  return facts.length === 0 ? [] : [{ type: "facts", facts }];
}

interface Field {
  readonly title?: unknown;
  readonly oneOf?: unknown;
  readonly items?: unknown;
}

function propertiesOf(request: object): Readonly<Record<string, unknown>> {
  const { requestedSchema } = request as { requestedSchema?: { properties?: unknown } | null };
  const properties = requestedSchema?.properties;
  return typeof properties === "object" && properties !== null ? { ...properties } : {};
}

function fieldOf(value: unknown): Field {
  return typeof value === "object" && value !== null ? value : {};
}

function titleOf(field: Field, value: unknown): string {
  const { anyOf } = (field.items ?? {}) as { anyOf?: unknown };
  for (const choice of listOf(field.oneOf ?? anyOf)) {
    const { const: known, title } = (choice ?? {}) as { const?: unknown; title?: unknown };
    if (known === value && typeof title === "string") return title;
  }
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
