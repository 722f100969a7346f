import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** While the page is worked on (`vite packages/web`), a gateway answers for the rest: by its address. */
const gateway = process.env["LANDLINE_URL"] ?? "http://127.0.0.1:3001";
const toGateway = { target: gateway, changeOrigin: true, headers: { origin: gateway } };

export default defineConfig({
  plugins: [react(), tailwindcss(), shellFiles()],
  // The page may stand below any path: its files are named relative to it, and routes are behind the `#`.
  base: "./",
  resolve: { conditions: ["@landline/source", "module", "browser", "import", "default"] },
  build: {
    target: "es2023",
    // What a strict policy would refuse: files as `data:` addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: { index: file("index.html"), sw: file("src/sw.ts") },
      output: {
        // A service worker stands where all that it may keep is below it, always by the same name.
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

/**
 * Tells the service worker what the page is made of at first: so it can keep that, and is another worker
 * when any of it has changed.
 */
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
