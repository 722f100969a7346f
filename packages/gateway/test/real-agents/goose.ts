import type { RealAgent } from "./real-agent.ts";

export const goose: RealAgent = {
  name: "goose",
  npmPackage: "@aaif/goose-binary-linux-x64",
  version: "1.52.0",
  platform: "linux-x64",
  launch: ({ modelUrl, installed }) => ({
    command: installed("@aaif/goose-binary-linux-x64/bin/goose"),
    args: ["acp", "--with-builtin", "developer"],
    env: {
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "scripted-1",
      GOOSE_MODE: "approve",
      GOOSE_DISABLE_KEYRING: "1",
      OPENAI_HOST: modelUrl,
      OPENAI_BASE_PATH: "v1/chat/completions",
      OPENAI_API_KEY: "dummy",
    },
  }),
  write: (path, content) => ({ type: "tool-call", name: "write", arguments: { path, content } }),
  comesBackBy: "load",
  afterReject: "model-goes-on",
};
