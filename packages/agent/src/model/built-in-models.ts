import type { ModelInfo } from "./model.ts";

/** Catalogue entries of the demo and script models, whose code is loaded when they are opened. */
export const demoModel: ModelInfo = {
  id: "demo/guide",
  name: "Demo (no AI)",
  provider: "demo",
  providerName: "Demo",
  contextTokens: 1_000_000,
  outputTokens: 64_000,
  cost: { input: 0, output: 0 },
  takes: { image: false, audio: false, document: false },
  tools: true,
  efforts: [],
  prefersPatches: false,
};

export const scriptModel: ModelInfo = {
  id: "script/replay",
  name: "Script",
  provider: "script",
  providerName: "Script",
  contextTokens: 1_000_000,
  outputTokens: 64_000,
  cost: { input: 0, output: 0 },
  takes: { image: true, audio: true, document: true },
  tools: true,
  efforts: [],
  prefersPatches: false,
};
