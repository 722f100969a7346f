import { useState } from "react";

/** Derives a value from a text, from the previous value when the text has grown. Remembers only the last value. */
export function useIncremental<Made>(
  grow: (before: Made, text: string) => Made,
  first: Made,
  text: string,
): Made {
  const [memory] = useState(() => ({ made: first }));
  return growIn(memory, grow, text);
}

function growIn<Made>(
  memory: { made: Made },
  grow: (before: Made, text: string) => Made,
  text: string,
): Made {
  memory.made = grow(memory.made, text);
  return memory.made;
}
