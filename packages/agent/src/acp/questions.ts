import type { CreateElicitationResponse, ElicitationSchema } from "@agentclientprotocol/sdk";
import type { Answer, DisplayedCall, Question } from "../core/user-requests.ts";
import type { Client } from "./acp-client.ts";

type Properties = NonNullable<ElicitationSchema["properties"]>;

/** All questions as one form: a choice for each, and a text field where free text is allowed. */
export async function askQuestions(
  client: Client,
  call: DisplayedCall,
  questions: Question[],
  signal: AbortSignal,
): Promise<Answer[]> {
  const properties: Properties = {};
  for (const [index, question] of questions.entries()) {
    // The message already contains a single question.
    const about = questions.length === 1 ? {} : { description: question.question };
    addFields(properties, question, index, about);
  }
  const response = await client.elicit(
    {
      mode: "form",
      sessionId: call.rootSessionId,
      ...(call.taskCallId === null && { toolCallId: call.callId }),
      message: questions.map((question) => question.question).join("\n"),
      requestedSchema: { type: "object", properties },
    },
    signal,
  );
  return questions.map((_question, index) => answerOf(response, index));
}

function addFields(
  properties: Properties,
  question: Question,
  index: number,
  about: { readonly description?: string },
): void {
  const { header: title, options } = question;
  if (options.length > 0) {
    const choices = options.map(({ label, description }) => ({
      const: label,
      title:
        description === undefined || description === label ? label : `${label}: ${description}`,
    }));
    properties[`choice${index}`] = question.multiple
      ? { type: "array", title, ...about, items: { anyOf: choices } }
      : { type: "string", title, ...about, oneOf: choices };
  }
  if (question.free || options.length === 0) {
    const own = options.length === 0 ? title : `${title} (custom answer)`;
    properties[`words${index}`] = { type: "string", title: own, ...about };
  }
}

function answerOf(response: CreateElicitationResponse, index: number): Answer {
  if (response.action !== "accept" || !("content" in response)) return [];
  const content = (response.content ?? {}) as Record<string, unknown>;
  const values = [content[`choice${index}`], content[`words${index}`]].flat();
  return values.filter((value) => typeof value === "string").filter((value) => value.trim() !== "");
}
