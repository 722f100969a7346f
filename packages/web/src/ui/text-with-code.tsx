/** Renders `code` in backticks as code. */
export function TextWithCode({ text }: { readonly text: string }) {
  let at = 0;
  // Odd parts are between two backticks; a single backtick stays as it is.
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
