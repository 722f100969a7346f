import { useEffect, useState } from "react";

/**
 * What the agent sent as base64, as an address that holds until the component goes. Undefined until it is made, null
 * when it is no base64.
 */
export function useObjectUrl(data: string, type: string): string | null | undefined {
  const [url, setUrl] = useState<string | null>();
  useEffect(() => {
    let made: string | null = null;
    // Not while the page is drawn: it may be megabytes.
    const timer = setTimeout(() => {
      made = urlOf(data, type);
      setUrl(made);
    });
    return () => {
      clearTimeout(timer);
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [data, type]);
  return url;
}

function urlOf(data: string, type: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.codePointAt(0) ?? 0);
    return URL.createObjectURL(new Blob([bytes], { type }));
  } catch {
    return null;
  }
}
