/** Words in which `this` is code. */
export function TextWithCode({ text }: { readonly text: string }) {
  let at = 0;
  // What stands between two ticks is code; a tick alone is a tick.
  return text.split(/`([^`\n]+)`/).map((part, index) => {
    const key = at;
    at += part.length + 1;
    return index % 2 === 1 ? (
      <code key={key} className="font-mono [overflow-wrap:anywhere]">
        {part}
      </code>
    ) : (
      part
    );
  });
}
