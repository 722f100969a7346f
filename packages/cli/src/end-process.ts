/** Exits after all output was flushed. */
export async function endProcess(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.writableLength > 0)
      await new Promise<void>((done) => stream.write("", () => done()));
  }
  process.exit(code);
}
