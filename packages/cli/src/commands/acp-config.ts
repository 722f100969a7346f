import { existsSync } from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { LandlineError } from "@landline/protocol";
import type { CommandContext, PlaceOptions } from "../command-context.ts";
import { exitCode } from "../exit-code.ts";

export type Editor = "zed" | "jetbrains" | "codecompanion" | "avante" | "emacs";

interface AcpConfigOptions extends PlaceOptions {
  readonly agent?: string;
  readonly gateway?: string;
}

/** What an editor has to start, under which name. */
interface Launch {
  readonly id: string;
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** Prints the settings with which an editor starts `landline acp`. Where they belong is printed on stderr. */
export function printConfig(
  { output }: CommandContext,
  editor: Editor,
  options: AcpConfigOptions,
): number {
  const { place, write } = formats[editor];
  process.stdout.write(`${write(launchOf(options))}\n`);
  output.note(place);
  return exitCode.done;
}

function launchOf({ agent, gateway, data, config }: AcpConfigOptions): Launch {
  const place = { data, config };
  return {
    id: agent === undefined ? "landline" : `landline-${agent}`,
    name: agent === undefined ? "Landline" : `Landline (${agent})`,
    command: process.execPath,
    args: [
      launcher(),
      "acp",
      ...(agent === undefined ? [] : ["--agent", agent]),
      ...(gateway === undefined ? [] : ["--gateway", gateway]),
      ...Object.entries(place).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}`, path.resolve(value)],
      ),
    ],
  };
}

/** The script that starts Landline: of the clone, or of the installed package. It stays when a build is replaced. */
function launcher(): string {
  const start = fileURLToPath(new URL("../start.ts", import.meta.url));
  for (let folder = path.dirname(start); ; folder = path.dirname(folder)) {
    for (const script of ["packages/cli/bin/landline.js", "bin/landline.js"]) {
      const file = path.join(folder, script);
      if (existsSync(file)) return file;
    }
    if (folder === path.dirname(folder))
      throw new LandlineError("internal-error", { message: "bin/landline.js was not found." });
  }
}

const formats: Readonly<
  Record<Editor, { readonly place: string; readonly write: (launch: Launch) => string }>
> = {
  zed: {
    place:
      'Add it to Zed\'s settings.json ("zed: open settings file"), then open a thread with this agent.',
    write: ({ name, command, args }) =>
      json({ agent_servers: { [name]: { type: "custom", command, args, env: {} } } }),
  },
  jetbrains: {
    place: "Add it to ~/.jetbrains/acp.json, then choose the agent in the AI Chat.",
    write: ({ name, command, args }) =>
      json({ agent_servers: { [name]: { command, args, env: {} } } }),
  },
  codecompanion: {
    place:
      "Add it to the settings of CodeCompanion in your init.lua, then open :CodeCompanionChat.",
    write: ({ id, name, command, args }) => `require("codecompanion").setup({
  adapters = {
    acp = {
      [${quoted(id)}] = function()
        return require("codecompanion.adapters").extend("opencode", {
          name = ${quoted(id)},
          formatted_name = ${quoted(name)},
          commands = { default = { ${[command, ...args].map(quoted).join(", ")} } },
        })
      end,
    },
  },
  interactions = { chat = { adapter = ${quoted(id)} } },
})`,
  },
  avante: {
    place: "Add it to the settings of Avante in your init.lua, then open :AvanteAsk.",
    write: ({ id, command, args }) => `require("avante").setup({
  provider = ${quoted(id)},
  acp_providers = {
    [${quoted(id)}] = {
      command = ${quoted(command)},
      args = { ${args.map(quoted).join(", ")} },
    },
  },
})`,
  },
  emacs: {
    place: "Add it to your init.el, then run M-x agent-shell and choose the agent.",
    write: ({ id, name, command, args }) => `(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs
               (agent-shell-make-agent-config
                :identifier (intern ${quoted(id)})
                :mode-line-name ${quoted(name)}
                :buffer-name ${quoted(name)}
                :shell-prompt ${quoted(`${name}> `)}
                :shell-prompt-regexp (regexp-quote ${quoted(`${name}> `)})
                :client-maker (lambda (buffer)
                                (acp-make-client
                                 :command ${quoted(command)}
                                 :command-params (list ${args.map(quoted).join(" ")})
                                 :context-buffer buffer)))))`,
  },
};

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A string of Lua and of Emacs Lisp. Both allow an escaped line break in it. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
