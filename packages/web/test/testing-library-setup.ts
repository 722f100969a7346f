// Only ends a wait that hangs: the default of one second is too short on a busy machine.
if (typeof document !== "undefined") {
  const { configure } = await import("@testing-library/react");
  configure({ asyncUtilTimeout: 60_000 });
}
