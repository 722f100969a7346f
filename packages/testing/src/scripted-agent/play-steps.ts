import { orderSteps } from "./order-steps.ts";
import { processSteps } from "./process-steps.ts";
import { requestSteps } from "./request-steps.ts";
import type { Step, StepName } from "./step.ts";
import { filled, type Handlers, type StepContext } from "./step-context.ts";
import { faultSteps } from "./fault-steps.ts";
import { updateSteps } from "./update-steps.ts";

const handlers: Handlers<StepName> = {
  ...updateSteps,
  ...requestSteps,
  ...orderSteps,
  ...faultSteps,
  ...processSteps,
};

export const stepNames = Object.keys(handlers) as readonly StepName[];

/** Plays steps in sequence. Rejects if one fails, ends the turn, or is aborted. */
export async function playSteps(steps: readonly Step[], context: StepContext): Promise<void> {
  for (const step of steps) {
    context.signal.throwIfAborted();
    const here =
      step.child === undefined ? context : { ...context, child: filled(step.child, context) };
    await playStep(step, here);
  }
}

async function playStep(step: Step, context: StepContext): Promise<void> {
  for (const [name, body] of Object.entries(step)) {
    if (!(name in handlers)) continue;
    // The scenario was validated, so the body has the type of its step.
    const handler = handlers[name as StepName] as (
      body: unknown,
      context: StepContext,
    ) => void | Promise<void>;
    await handler(body, context);
  }
}
