import { useEffect } from "react";
import { pageTitle } from "./page-title.ts";
import { useNeedsYouCount } from "./use-needs-you.ts";

/** "(2) Title · Landline". */
export function usePageTitle(title: string | null): void {
  const count = useNeedsYouCount();
  useEffect(() => {
    document.title = pageTitle(title, count);
  }, [title, count]);
}
