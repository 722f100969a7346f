import { ArrowDown } from "lucide-react";
import { Button } from "../ui/button.tsx";

export interface JumpToEndProps {
  /** How many rows were added since the end was left. */
  readonly count: number;
  readonly onGo: () => void;
}

/** Offers a way to the end, because new rows do not scroll the thread. */
export function JumpToEnd({ count, onGo }: JumpToEndProps) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <Button
        onClick={onGo}
        aria-label={count === 0 ? "Go to the end" : `Go to the end, ${count} new`}
        className="pointer-events-auto rounded-full! bg-float! shadow-float"
      >
        <ArrowDown size={16} strokeWidth={1.5} aria-hidden />
        {count === 0 ? "End" : `${count} new`}
      </Button>
    </div>
  );
}
