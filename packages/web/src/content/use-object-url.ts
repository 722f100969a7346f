import { useEffect, useState } from "react";

/**
 * An object URL for base64 data, revoked on unmount. Undefined until it is created, null if the data is not
 * base64.
 */
export function useObjectUrl(data: string, type: string): string | null | undefined {
  const [url, setUrl] = useState<string | null>();
  useEffect(() => {
    let made: string | null = null;
    // After rendering, because decoding may take long.
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
