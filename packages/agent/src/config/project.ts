import type { Config, HeldBack, Project } from "./config.ts";
import { buildAgents } from "./agents.ts";
import { checkDocument } from "./validate-document.ts";
import { buildCommands } from "./command-definitions.ts";
import { findCustomTools, openCustomTools } from "./custom-tools.ts";
import type { ConfigDocument } from "./config-document.ts";
import { readDocuments } from "./read-documents.ts";
import {
  ownFolders,
  projectFolders,
  readMarkdownSources,
  type MarkdownSources,
} from "./markdown-sources.ts";
import { mergeLayers, type Layer, type Merged } from "./merge-layers.ts";
import { findPlaces, type Places } from "./config-folders.ts";
import { Problems } from "./config-problems.ts";
import { readRules } from "./rules-files.ts";
import { substitute } from "./substitute-variables.ts";
import { Trust } from "./trust.ts";
import { withhold } from "./untrusted-settings.ts";
import { withholdKey } from "../withheld-keys.ts";

export interface OpenProjectOptions {
  /** Absolute. */
  cwd: string;
  directories: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** What files and environment say about a folder. Never throws for what stands in them. */
export async function openProject(options: OpenProjectOptions): Promise<Project> {
  const problems = new Problems();
  const places = await findPlaces(options);
  const documents = await readDocuments(places, options.environment, problems);
  const reading: Reading = { options, places, problems, held: [] };
  const own = await readOwnLayers(documents.own, reading);
  const last = await Promise.all(
    documents.last.map((document) => layerOf(document, null, reading)),
  );
  const trust = await Trust.open(places, [...own, ...last].flatMap(trustedBy), problems);
  const trusted = await trust.trusts(places.root);
  const project = await readProjectLayers(documents.project, trusted, reading);
  const layers = [...own, ...project, ...last];
  const merged = mergeLayers(layers, places.home, problems);
  for (const { apiKey = "" } of Object.values(merged.values.providers)) withholdKey(apiKey);
  const toolFiles = await findCustomTools(places, problems);
  if (!trusted) {
    reading.held.push(
      ...toolFiles.project.map((file) => `runs its own tool "${file.name}" (${file.path})`),
    );
  }
  const customTools = await openCustomTools(
    trusted ? [...toolFiles.own, ...toolFiles.project] : toolFiles.own,
    { cwd: places.cwd, environment: options.environment, problems },
  );
  const rules = await readRules({
    places,
    directories: options.directories,
    instructions: merged.instructions,
    trusted,
    problems,
  });
  const heldBack = reading.held.length === 0 ? null : holdBack(reading.held, places, trust);
  const sources = layers.flatMap((layer) => layer.files);
  const config = await buildConfig(merged, sources, reading);
  return { config, customTools, rules, heldBack };
}

/** What is gathered while layers are read. */
interface Reading {
  options: OpenProjectOptions;
  places: Places;
  problems: Problems;
  held: string[];
}

async function readOwnLayers(
  documents: readonly ConfigDocument[],
  reading: Reading,
): Promise<Layer[]> {
  const { places, problems } = reading;
  const markdown = await readMarkdownSources(ownFolders(places), true, problems);
  const layers = [markdownLayer(markdown, places.ours, "person", reading)];
  for (const document of documents) layers.push(await layerOf(document, null, reading));
  return layers;
}

async function readProjectLayers(
  documents: readonly ConfigDocument[],
  trusted: boolean,
  reading: Reading,
): Promise<Layer[]> {
  const { places, problems } = reading;
  const layers: Layer[] = [];
  for (const folder of places.folders) {
    const markdown = await readMarkdownSources(projectFolders(folder), trusted, problems);
    layers.push(markdownLayer(markdown, folder, "project", reading));
    for (const document of documents) {
      if (document.base === folder) {
        layers.push(await layerOf(document, trusted ? null : places.root, reading));
      }
    }
  }
  if (!trusted) for (const layer of layers) layer.isUntrusted = true;
  return layers;
}

function markdownLayer(
  { agents, commands, files, held }: MarkdownSources,
  base: string,
  owner: ConfigDocument["owner"],
  reading: Reading,
): Layer {
  reading.held.push(...held);
  return { document: { file: base, base, owner }, files, settings: {}, agents, commands };
}

/** `confinedTo` is set for a project that nobody has trusted. */
async function layerOf(
  document: ConfigDocument,
  confinedTo: string | null,
  { options, places, problems, held }: Reading,
): Promise<Layer> {
  const { environment } = options;
  const filled = await substitute(document, {
    environment,
    home: places.home,
    confinedTo,
    problems,
  });
  let settings = checkDocument(filled, problems);
  if (document.owner === "project" && settings.trust !== undefined) {
    const where = { file: document.file, line: document.lineOf(["trust"]) };
    problems.add(
      where,
      "a project can't trust itself: `trust` counts in your own configuration only.",
    );
  }
  if (confinedTo !== null) {
    const safe = withhold(settings);
    settings = safe.settings;
    held.push(...safe.held);
  }
  return { document, files: [document.file], settings, agents: new Map(), commands: new Map() };
}

function trustedBy(layer: Layer): string[] {
  return layer.settings.trust ?? [];
}

function holdBack(wants: string[], places: Places, trust: Trust): HeldBack {
  return { folder: places.root, wants, trust: () => trust.add(places.root) };
}

async function buildConfig(merged: Merged, sources: string[], reading: Reading): Promise<Config> {
  const { places, problems } = reading;
  const agents = await buildModes(merged, places, problems);
  const commands = await buildCommands(merged.commands, problems);
  const primary = agents.filter((agent) => agent.role !== "subagent" && !agent.hidden);
  const wanted = merged.defaultAgent;
  if (wanted !== undefined && !primary.some((agent) => agent.id === wanted)) {
    const known = primary.map((agent) => agent.id).join(", ");
    problems.add({ file: "default_agent" }, `there is no mode "${wanted}". Use one of: ${known}.`);
  }
  const mode = primary.find((agent) => agent.id === (wanted ?? "build")) ?? primary[0];
  return {
    ...merged.values,
    rules: merged.rules,
    agents,
    defaultMode: mode?.id ?? "build",
    commands,
    instructions: merged.instructions.map((instruction) => instruction.pattern),
    problems: problems.lines,
    sources,
  };
}

/** There is always a mode to work in. */
async function buildModes(
  merged: Merged,
  places: Places,
  problems: Problems,
): Promise<Config["agents"]> {
  const agents = await buildAgents(merged.agents, places.home);
  if (agents.some((agent) => agent.role !== "subagent" && !agent.hidden)) return agents;
  problems.add(
    { file: "agent" },
    "every mode is switched off. `build` was kept; enable one of yours.",
  );
  const others = new Map(merged.agents);
  others.delete("build");
  return buildAgents(others, places.home);
}
