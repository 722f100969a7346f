import { contains } from "./json.ts";
import { capability } from "./options.ts";
import { filled, ScenarioFault, TurnEnded, type Handlers } from "./step-context.ts";
import { waitMs } from "./delays.ts";

type OrderStep = "wait" | "repeat" | "together" | "whenClient" | "check" | "end" | "answerEarly";

export const orderSteps: Handlers<OrderStep> = {
  wait: (body, context) => waitMs(body, context.signal),
  repeat: async (body, context) => {
    for (let index = 0; index < body.times; index += 1) {
      await context.play(body.steps, { ...context, values: { ...context.values, index } });
    }
  },
  together: async (body, context) => {
    // If one branch ends, the others end too.
    const ended = new AbortController();
    const here = { ...context, signal: AbortSignal.any([context.signal, ended.signal]) };
    const plays = body.map(async (steps) => {
      try {
        await context.play(steps, here);
      } catch (error) {
        ended.abort(error);
        throw error;
      }
    });
    await Promise.all(plays);
  },
  whenClient: async (body, context) => {
    const has = capability(context.connection.clientCapabilities(), body.has);
    await context.play(has ? body.steps : (body.otherwise ?? []), context);
  },
  check: (body, context) => {
    const actual = filled(body.value, context);
    const expected = filled(body.equals, context);
    if (!contains(actual, expected)) {
      throw new ScenarioFault("a check failed", { expected, actual });
    }
  },
  end: (body, context) => {
    throw new TurnEnded(filled(body, context));
  },
  answerEarly: (body, context) => {
    context.answer(filled(body, context), context.output);
  },
};
