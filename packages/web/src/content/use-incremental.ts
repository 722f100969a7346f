import { useState } from "react";

/**
 * Something that is made of a text, and made on from what was there when the text has grown. It remembers the last
 * only, so that the same text gives the same thing.
 */
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
