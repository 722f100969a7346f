import { useEffect } from "react";
import { pageTitle } from "./page-title.ts";
import { useAttentionCount } from "./use-attention-count.ts";

/** "(2) Title · Landline". */
export function usePageTitle(title: string | null): void {
  const count = useAttentionCount();
  useEffect(() => {
    document.title = pageTitle(title, count);
  }, [title, count]);
}
