export { createChangingServer } from "./changing-server.ts";
export { mcpServerCommand, type McpServerName } from "./command.ts";
export { startHttpMcpServer, type HttpMcpServer } from "./http-server.ts";
export { createLibraryServer } from "./library-server.ts";
export { startSseMcpServer } from "./sse-server.ts";
export { createToolServer, picture } from "./tool-server.ts";
