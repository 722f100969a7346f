/** The agent's config for a model of the model server that takes images. */
export function modelConfig(url: string): string {
  const models = {
    "scripted-1": {
      limit: { context: 200_000, output: 8_192 },
      modalities: { input: ["text", "image"] },
    },
  };
  const options = { baseURL: `${url}/v1`, apiKey: "a key" };
  return JSON.stringify({
    model: "scripted/scripted-1",
    small_model: "scripted/scripted-1",
    local_providers: false,
    provider: { scripted: { kind: "openai-compatible", options, models } },
  });
}
