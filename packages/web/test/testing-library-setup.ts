/** Only ends a wait that hangs: the default of one second is too short on a busy machine. */
export const asyncUtilTimeout = 60_000;

if (typeof document !== "undefined") {
  const { configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout });
}
