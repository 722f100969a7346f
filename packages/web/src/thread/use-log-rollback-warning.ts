import { useEffect, useRef } from "react";
import { toast } from "sonner";

/** Warns when the log is shorter than before: the gateway was restored from an older copy. */
export function useLogRollbackWarning(head: number): void {
  const last = useRef(head);
  useEffect(() => {
    if (head < last.current) {
      toast.warning("The gateway has an older copy of this conversation.", {
        description: "Later messages are lost.",
      });
    }
    last.current = head;
  }, [head]);
}
