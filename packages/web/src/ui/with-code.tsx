/** Words in which `this` is code. */
export function WithCode({ text }: { readonly text: string }) {
  // A name behind every other tick: what stands between two of them is code.
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      <code key={`${part} ${text.indexOf(part)}`} className="font-mono [overflow-wrap:anywhere]">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
