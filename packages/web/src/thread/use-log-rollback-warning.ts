import { useEffect, useRef } from "react";
import { toast } from "sonner";

/** A log that is shorter than it was: the gateway was given an older copy. What is gone is not passed over in silence. */
export function useLogRollbackWarning(head: number): void {
  const last = useRef(head);
  useEffect(() => {
    if (head < last.current) {
      toast.warning("The gateway has an older copy of this conversation.", {
        description: "What came after it is gone.",
      });
    }
    last.current = head;
  }, [head]);
}
