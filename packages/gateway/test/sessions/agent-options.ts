/** Modes of a scripted agent. */
export const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

/** A config option of a scripted agent. */
export const model = {
  id: "model",
  name: "Model",
  type: "select",
  currentValue: "small",
  options: [
    { value: "small", name: "Small" },
    { value: "large", name: "Large" },
  ],
};
