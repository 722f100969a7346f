import type { SessionView } from "@landline/protocol";

/** The JSON of a view, shared by all clients that receive it. */
const texts = new WeakMap<SessionView, Buffer>();

/** A view as JSON of about `viewBytes` at most. Longer texts are cut with a notice; the log has them in full. */
export function viewText(view: SessionView, viewBytes: number): Buffer {
  const known = texts.get(view);
  if (known) return known;
  let text = Buffer.from(JSON.stringify(view));
  for (let most = viewBytes / 2; text.length > viewBytes && most > 256; most /= 4)
    text = Buffer.from(JSON.stringify(view, cutTo(Math.floor(most))));
  texts.set(view, text);
  return text;
}

function cutTo(most: number): (name: string, value: unknown) => unknown {
  return (_name, value) => {
    if (typeof value !== "string" || value.length <= most) return value;
    const left = value.length - most;
    return `${value.slice(0, most)}\n\n(${left} characters are omitted from this view; the events contain them.)`;
  };
}
