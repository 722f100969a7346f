import { describe, expect, it } from "vitest";
import { eventOf, sampleBodies } from "../../../test/sample-events.ts";
import { decodeEvent } from "../../decode.ts";
import { eventForms } from "../../events.ts";
import { sessionEvent } from "./event.ts";

const isDecoded = (event: unknown) => {
  try {
    decodeEvent(event);
    return true;
  } catch {
    return false;
  }
};

describe.each(Object.entries(sampleBodies))("the schema of %s", (kind, body) => {
  it("accepts an event of that kind", () => {
    expect(sessionEvent.safeParse(eventOf(body)).error).toBeUndefined();
  });

  it("requires the same fields as the decoder", () => {
    const forms = eventForms.filter((form) => form.kind === kind);
    const fields = forms.flatMap((form) => Object.keys(form.fields));
    for (const name of new Set(fields)) {
      const { [name]: _left, ...without } = { ...eventOf(body) } as Record<string, unknown>;
      const { success: isAccepted } = sessionEvent.safeParse(without);
      expect({ name, isAccepted }).toEqual({ name, isAccepted: isDecoded(without) });
    }
  });

  it("refuses a field of a type that the decoder refuses", () => {
    for (const name of Object.keys(body).filter((field) => field !== "kind")) {
      const wrong = { ...eventOf(body), [name]: false };
      const isAccepted = isDecoded(wrong) || sessionEvent.safeParse(wrong).success;
      expect({ name, isAccepted }).toEqual({ name, isAccepted: false });
    }
  });
});
