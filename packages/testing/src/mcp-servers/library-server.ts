import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";

/** A server with instructions, prompts and resources. */
export function createLibraryServer(): McpServer {
  const server = new McpServer(
    { name: "library", version: "1.0.0" },
    { instructions: "Ask the library before you guess." },
  );
  server.registerPrompt(
    "summary",
    {
      description: "Summarises a book",
      argsSchema: fromJsonSchema<{ book: string; style?: string }>({
        type: "object",
        properties: { book: { type: "string" }, style: { type: "string" } },
        required: ["book"],
      }),
    },
    ({ book, style }) => ({
      messages: [
        {
          role: "user",
          content: { type: "text", text: `Summarise ${book} in the style: ${style ?? "plain"}` },
        },
        {
          role: "user",
          content: { type: "resource", resource: { uri: "book://1", text: "Chapter one." } },
        },
      ],
    }),
  );
  server.registerPrompt("hello", { description: "Greets" }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Say hello" } }],
  }));
  server.registerResource(
    "One",
    "book://1",
    { description: "The first book", mimeType: "text/plain" },
    () => ({
      contents: [{ uri: "book://1", text: "Chapter one." }],
    }),
  );
  server.registerResource("Cover", "book://1/cover", { mimeType: "image/png" }, () => ({
    contents: [{ uri: "book://1/cover", blob: "aGVsbG8=", mimeType: "image/png" }],
  }));
  return server;
}
