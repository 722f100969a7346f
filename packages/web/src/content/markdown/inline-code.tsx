import { VisibleText } from "../visible-text.tsx";

export function InlineCode({ text }: { readonly text: string }) {
  return (
    <code className="rounded-input bg-raised px-1 py-px font-mono text-[0.875em] [overflow-wrap:anywhere]">
      <VisibleText text={text} />
    </code>
  );
}
