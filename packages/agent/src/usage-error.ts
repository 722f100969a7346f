/** Invalid command line arguments. The message says what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
