import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import * as path from "node:path";
import { compileFunction } from "node:vm";
import { Window } from "happy-dom";
import * as react from "react";
import * as jsxRuntime from "react/jsx-runtime";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as client from "../src/index.ts";
import * as clientReact from "../src/react.ts";
import { renderedUntil } from "./wait-for-render.ts";
import { ServedGateway } from "./served-gateway.ts";

const page = await readFile(path.join(import.meta.dirname, "../../../docs/client.md"), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(
    ([, code = ""]) => code,
  );

let gateway: ServedGateway;
beforeAll(async () => {
  gateway = await ServedGateway.make();
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

/** What the page imports. */
const modules: Readonly<Record<string, unknown>> = {
  "@landline/client": client,
  "@landline/client/react": clientReact,
  react,
  "react/jsx-runtime": jsxRuntime,
};

/** The functions that a code block of the page exports, for a test to render. */
async function exportsOf(code: string): Promise<Record<string, react.FunctionComponent<object>>> {
  const build = await rolldown({
    input: "piece.tsx",
    external: Object.keys(modules),
    plugins: [
      {
        name: "piece",
        resolveId: (id) => (id === "piece.tsx" ? id : null),
        load: (id) => (id === "piece.tsx" ? code : null),
      },
    ],
  });
  const { output } = await build.generate({ format: "cjs" });
  await build.close();
  const made = { exports: {} };
  const load = (name: string) => modules[name];
  compileFunction(output[0].code, ["require", "module", "exports"])(load, made, made.exports);
  return made.exports;
}

describe("docs/client.md", () => {
  it("has one program, and it prints what the page says", async () => {
    const program = blocks("ts").join("\n");
    const wanted = [...program.matchAll(/\/\/ → (.*)$/gm)].map(([, text]) => text);
    const printed: string[] = [];
    const code = stripTypeScriptTypes(program.replaceAll(/^import .*;$/gm, ""));
    const names = ["createLandline", "url", "token", "cwd", "console"];
    const run = compileFunction(`return (async () => {${code}})();`, names);
    const { url, token, cwd } = gateway;
    const log = (value: unknown) => printed.push(String(value));
    await run(client.createLandline, url, token, cwd, { log });
    expect(printed).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(5);
  });

  it("has components that can be rendered and used", async () => {
    const window = new Window();
    vi.stubGlobal("window", window);
    vi.stubGlobal("document", window.document);
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    const { createRoot } = await import("react-dom/client");
    const { url, token, cwd } = gateway;
    const landline = client.createLandline({ url, token });
    const { sessionId } = await landline.open({ agent: "scripted", cwd });
    const { Chat, Bridged } = Object.assign(
      {},
      ...(await Promise.all(blocks("tsx").map(exportsOf))),
    );
    const pieces = [
      react.createElement(
        clientReact.LandlineProvider,
        { landline, children: null },
        react.createElement(Chat, { sessionId }),
      ),
      react.createElement(Bridged, { url: `${url}/?token=${token}` }),
    ];
    for (const piece of pieces) {
      const root = createRoot(window.document.body as unknown as Element);
      await react.act(async () => root.render(piece));
      const text = () => window.document.body.textContent;
      const button = () => window.document.querySelector("button");
      await renderedUntil(() => button()?.disabled === false);
      await react.act(async () => button()?.click());
      await renderedUntil(() => text().includes("You said: Hello"));
      expect(text()).toContain("You said: Hello");
      await react.act(async () => root.unmount());
    }
    landline.close();
    vi.unstubAllGlobals();
    await window.happyDOM.close();
  });
});
