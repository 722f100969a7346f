// @vitest-environment happy-dom
import { cleanup, render, screen } from "@testing-library/react";
import { Toaster } from "sonner";
import { afterEach, expect, test } from "vitest";
import type { Attachment } from "./attachment.ts";
import { attachmentsOf, setAttachments } from "./use-attachments.ts";

const places = Array.from({ length: 11 }, (_, position) => `place-${position}`);

afterEach(() => {
  for (const place of places) setAttachments(place, []);
  cleanup();
});

test("names the files whose attachments were dropped from memory", async () => {
  render(<Toaster />);
  const file = (id: string): Attachment => ({
    id,
    name: `${id}.log`,
    kind: "text",
    mimeType: "text/plain",
    data: "words",
    bytes: 5,
  });
  for (const place of places) setAttachments(place, [file(place)]);
  expect(places.filter((place) => attachmentsOf(place).length === 0)).toEqual(["place-0"]);
  expect((await screen.findByText(/kept for at most 10 conversations/)).textContent).toContain(
    "place-0.log",
  );
});
