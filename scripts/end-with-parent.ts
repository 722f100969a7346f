/**
 * Loaded before a program that was started with a channel to its parent: it is told to end when the parent is
 * gone, which may have had no time to tell it.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// What waits for nothing else may end before its parent does.
process.channel?.unref();
