import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The gateway to which the dev server (`vite packages/web`) forwards requests. */
const gateway = process.env["LANDLINE_URL"] ?? "http://127.0.0.1:3001";
const toGateway = { target: gateway, changeOrigin: true, headers: { origin: gateway } };

export default defineConfig({
  plugins: [react(), tailwindcss(), shellFiles()],
  // The page may be served below any path: assets are relative and routes are in the hash.
  base: "./",
  resolve: { conditions: ["@landline/source", "module", "browser", "import", "default"] },
  build: {
    target: "es2023",
    // The content security policy forbids `data:` URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: { index: file("index.html"), sw: file("src/sw.ts") },
      output: {
        // The service worker has a fixed name at the root, because its path limits its scope.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "^/access/": toGateway, "^/api/": toGateway, "^/ws": { ...toGateway, ws: true } },
  },
  worker: { format: "es" },
});

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Writes the list of initial files into the service worker, so that it can cache them and changes with them. */
function shellFiles(): Plugin {
  return {
    name: "landline:shell-files",
    apply: "build",
    generateBundle(_options, bundle) {
      const files = new Set<string>();
      const add = (fileName: string) => {
        const chunk = bundle[fileName];
        if (files.has(fileName) || chunk?.type !== "chunk") return;
        files.add(fileName);
        for (const sheet of chunk.viteMetadata?.importedCss ?? []) files.add(sheet);
        for (const imported of chunk.imports) add(imported);
      };
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk" && chunk.isEntry && chunk.name === "index") add(chunk.fileName);
      }
      const worker = bundle["sw.js"];
      if (worker?.type !== "chunk" || files.size === 0)
        this.error("The page has no entry or no sw.js.");
      const build = createHash("sha256")
        .update([...files].join("\n"))
        .digest("hex")
        .slice(0, 12);
      worker.code = `const SHELL=${JSON.stringify({ build, files: [...files] })};${worker.code}`;
    },
  };
}
