/**
 * Preloaded into a child process with an IPC channel: sends it SIGTERM when its parent ends, even if the parent was
 * killed.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone must not keep the process running.
process.channel?.unref();
