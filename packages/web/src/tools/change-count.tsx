export interface ChangeCountProps {
  readonly added: number;
  readonly removed: number;
}

/** "+3 −1" */
export function ChangeCount({ added, removed }: ChangeCountProps) {
  return (
    <span className="shrink-0 font-mono text-xs">
      {added > 0 || removed === 0 ? (
        <span className="text-good">
          +{added}
          <span className="sr-only"> added</span>
        </span>
      ) : null}
      {removed > 0 ? (
        <span className="ml-1.5 text-bad">
          −{removed}
          <span className="sr-only"> removed</span>
        </span>
      ) : null}
    </span>
  );
}
