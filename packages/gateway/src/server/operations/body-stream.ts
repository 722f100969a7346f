const PIECE_BYTES = 64 * 1_024;

/**
 * A body that is written as fast as its client reads, without copying the bytes. A `Response` would copy them for each
 * client.
 */
export function streamBody(pieces: readonly Buffer[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(slicesOf(pieces));
}

function* slicesOf(pieces: readonly Buffer[]): Generator<Uint8Array> {
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += PIECE_BYTES)
      yield piece.subarray(from, from + PIECE_BYTES);
}
