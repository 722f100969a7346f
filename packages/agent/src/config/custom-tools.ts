import { readdir } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { errorMessage } from "@landline/system/error-message";
import { z } from "zod";
import { configLimits } from "../limits.ts";
import { protectedInput } from "../permission/protected-input.ts";
import type { Tool } from "../tools/tool.ts";
import { textContent, ToolFailure } from "../tools/tool.ts";
import { checkedExternalToolInput, type ExternalToolInput } from "./external-tool-input.ts";
import { builtInTools, toolPatterns } from "./default-rules.ts";
import type { ConfigLocations } from "./config-folders.ts";
import type { Problems } from "./config-problems.ts";
import { isMissing, readTextFile } from "./text-file.ts";
import { describeTool, runTool, type ToolDescription } from "./tool-process.ts";

/** Maximum tools of a folder. Further ones are dropped with a problem. */
const toolsMax = 100;
/** How many tools are described in parallel. */
const describedAtOnce = 4;

export interface CustomToolFile {
  name: string;
  path: string;
  /** `name.json` beside the file: a description that is read without running the tool. */
  description: string | null;
}

export interface CustomToolOptions {
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  problems: Problems;
}

const extensions = new Set([".js", ".mjs", ".ts"]);

/** Finds the user's and the project's tool files. Runs nothing. */
export async function findCustomTools(
  locations: ConfigLocations,
  problems: Problems,
): Promise<{ own: CustomToolFile[]; project: CustomToolFile[] }> {
  const own = await findInFolder(join(locations.landline, "tools"), problems);
  const project: CustomToolFile[] = [];
  for (const folder of locations.folders) {
    project.push(...(await findInFolder(join(folder, ".landline", "tools"), problems)));
  }
  return { own, project };
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

async function findInFolder(folder: string, problems: Problems): Promise<CustomToolFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (!isMissing(error))
      problems.add({ file: folder }, `can't be read (${errorMessage(error)}).`);
    return [] as string[];
  });
  const files: CustomToolFile[] = [];
  for (const file of names.toSorted(byText)) {
    if (!extensions.has(extname(file)) || file.endsWith(".d.ts")) continue;
    const name = basename(file, extname(file));
    const path = join(folder, file);
    if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) {
      problems.add(
        { file: path },
        "a tool's name has letters, digits, `_` and `-` only. Rename the file.",
      );
    } else if (builtInTools.has(name)) {
      problems.add({ file: path }, `\`${name}\` is a tool of the agent itself. Rename the file.`);
    } else if (files.length >= toolsMax) {
      problems.add({ file: path }, `was left out: a folder has at most ${toolsMax} tools.`);
    } else {
      const described = names.includes(`${name}.json`);
      files.push({ name, path, description: described ? join(folder, `${name}.json`) : null });
    }
  }
  return files;
}

/**
 * Opens tools whose files may be run. Each runs in a separate process, once for its description (unless a
 * JSON file has it) and once per call. A tool that fails to describe itself is dropped with a problem.
 */
export async function openCustomTools(
  files: readonly CustomToolFile[],
  options: CustomToolOptions,
): Promise<Tool[]> {
  const byName = new Map(files.map((file) => [file.name, file]));
  const waiting = [...byName.values()];
  const tools = new Map<string, Tool>();
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const description = await describe(file, options);
      if (description !== null) tools.set(file.name, toTool(file, description, options));
    }
  };
  await Promise.all(Array.from({ length: describedAtOnce }, work));
  return [...byName.keys()].flatMap((name) => tools.get(name) ?? []);
}

async function describe(
  file: CustomToolFile,
  { cwd, environment, problems }: CustomToolOptions,
): Promise<ToolDescription | null> {
  try {
    if (file.description === null) return await describeTool(file.path, { cwd, environment });
    const text = await readTextFile(file.description, configLimits.fileBytes);
    return descriptionSchema.parse(JSON.parse(text?.text ?? ""));
  } catch (error) {
    problems.add(
      { file: file.description ?? file.path },
      `the tool was left out: ${errorMessage(error)}`,
    );
    return null;
  }
}

const descriptionSchema = z.looseObject({
  description: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
});

function toTool(
  file: CustomToolFile,
  { description, input }: ToolDescription,
  { cwd, environment }: CustomToolOptions,
): Tool {
  const tool: Tool<ExternalToolInput> = {
    name: file.name,
    description,
    input: checkedExternalToolInput(input),
    kind: "other",
    permission: file.name,
    view: () => ({ title: file.name, locations: [], content: [] }),
    async run(given, context) {
      await context.ask({
        permission: file.name,
        patterns: [toolPatterns.custom],
        always: ["*"],
        ...(await protectedInput(given, "edit", cwd)),
      });
      const { signal } = context;
      const onPrinted = (text: string): void => {
        context.progress({ content: textContent(text) });
      };
      const result = await runTool(file.path, given, { cwd, environment, signal, onPrinted });
      if (result.ok)
        return {
          output: result.output,
          ...(result.title !== undefined && { title: result.title }),
        };
      throw new ToolFailure(result.reason, `The tool ${file.name} failed: ${result.message}`);
    },
  };
  return tool;
}
