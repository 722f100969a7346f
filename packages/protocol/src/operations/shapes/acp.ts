import { z } from "zod";

/** Milliseconds since 1970. */
export const time = z.number().describe("Milliseconds since 1970.");

/** An object of ACP, whose own schema says what is in it: it is passed on as the agent sent it. */
export function acp<Shape extends object>(description: string): z.ZodType<Shape> {
  return z.looseObject({}).describe(description) as unknown as z.ZodType<Shape>;
}
