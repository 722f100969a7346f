import type { Config, UntrustedConfig, Project } from "./config.ts";
import { buildAgents } from "./agents.ts";
import { validateDocument } from "./validate-document.ts";
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
import { findConfigLocations, type ConfigLocations } from "./config-folders.ts";
import { Problems } from "./config-problems.ts";
import { readRules } from "./rules-files.ts";
import { substitute } from "./substitute-variables.ts";
import { Trust } from "./trust.ts";
import { withoutUntrusted } from "./untrusted-settings.ts";
import { withholdKey } from "../withheld-keys.ts";

export interface OpenProjectOptions {
  /** Absolute. */
  cwd: string;
  directories: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Reads the configuration of a folder. Invalid content never throws; it is reported in `problems`. */
export async function openProject(options: OpenProjectOptions): Promise<Project> {
  const problems = new Problems();
  const locations = await findConfigLocations(options);
  const documents = await readDocuments(locations, options.environment, problems);
  const reading: Reading = { options, locations, problems, withheld: [] };
  const own = await readOwnLayers(documents.own, reading);
  const last = await Promise.all(
    documents.last.map((document) => layerOf(document, null, reading)),
  );
  const trust = await Trust.open(locations, [...own, ...last].flatMap(trustedBy), problems);
  const trusted = await trust.trusts(locations.root);
  const project = await readProjectLayers(documents.project, trusted, reading);
  const layers = [...own, ...project, ...last];
  const merged = mergeLayers(layers, locations.home, problems);
  for (const { apiKey = "" } of Object.values(merged.values.providers)) withholdKey(apiKey);
  const toolFiles = await findCustomTools(locations, problems);
  if (!trusted) {
    reading.withheld.push(
      ...toolFiles.project.map((file) => `runs its own tool "${file.name}" (${file.path})`),
    );
  }
  const customTools = await openCustomTools(
    trusted ? [...toolFiles.own, ...toolFiles.project] : toolFiles.own,
    { cwd: locations.cwd, environment: options.environment, problems },
  );
  const rules = await readRules({
    locations,
    directories: options.directories,
    instructions: merged.instructions,
    trusted,
    problems,
  });
  const untrustedConfig =
    reading.withheld.length === 0 ? null : toUntrustedConfig(reading.withheld, locations, trust);
  const sources = layers.flatMap((layer) => layer.files);
  const config = await buildConfig(merged, sources, reading);
  return { config, customTools, rules, untrustedConfig };
}

/** State that is shared while layers are read. */
interface Reading {
  options: OpenProjectOptions;
  locations: ConfigLocations;
  problems: Problems;
  withheld: string[];
}

async function readOwnLayers(
  documents: readonly ConfigDocument[],
  reading: Reading,
): Promise<Layer[]> {
  const { locations, problems } = reading;
  const markdown = await readMarkdownSources(ownFolders(locations), true, problems);
  const layers = [markdownLayer(markdown, locations.landline, "person", reading)];
  for (const document of documents) layers.push(await layerOf(document, null, reading));
  return layers;
}

async function readProjectLayers(
  documents: readonly ConfigDocument[],
  trusted: boolean,
  reading: Reading,
): Promise<Layer[]> {
  const { locations, problems } = reading;
  const layers: Layer[] = [];
  for (const folder of locations.folders) {
    const markdown = await readMarkdownSources(projectFolders(folder), trusted, problems);
    layers.push(markdownLayer(markdown, folder, "project", reading));
    for (const document of documents) {
      if (document.base === folder) {
        layers.push(await layerOf(document, trusted ? null : locations.root, reading));
      }
    }
  }
  if (!trusted) for (const layer of layers) layer.isUntrusted = true;
  return layers;
}

function markdownLayer(
  { agents, commands, files, withheld }: MarkdownSources,
  base: string,
  owner: ConfigDocument["owner"],
  reading: Reading,
): Layer {
  reading.withheld.push(...withheld);
  return { document: { file: base, base, owner }, files, settings: {}, agents, commands };
}

/** `confinedTo` is set for an untrusted project: substitutions may not leave that folder. */
async function layerOf(
  document: ConfigDocument,
  confinedTo: string | null,
  { options, locations, problems, withheld }: Reading,
): Promise<Layer> {
  const { environment } = options;
  const filled = await substitute(document, {
    environment,
    home: locations.home,
    confinedTo,
    problems,
  });
  let settings = validateDocument(filled, problems);
  if (document.owner === "project" && settings.trust !== undefined) {
    const where = { file: document.file, line: document.lineOf(["trust"]) };
    problems.add(
      where,
      "a project can't trust itself: `trust` counts in your own configuration only.",
    );
  }
  if (confinedTo !== null) {
    const safe = withoutUntrusted(settings);
    settings = safe.settings;
    withheld.push(...safe.withheld);
  }
  return { document, files: [document.file], settings, agents: new Map(), commands: new Map() };
}

function trustedBy(layer: Layer): string[] {
  return layer.settings.trust ?? [];
}

function toUntrustedConfig(
  wants: string[],
  locations: ConfigLocations,
  trust: Trust,
): UntrustedConfig {
  return { folder: locations.root, wants, trust: () => trust.add(locations.root) };
}

async function buildConfig(merged: Merged, sources: string[], reading: Reading): Promise<Config> {
  const { locations, problems } = reading;
  const agents = await buildModes(merged, locations, problems);
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

/** At least one mode is always available. */
async function buildModes(
  merged: Merged,
  locations: ConfigLocations,
  problems: Problems,
): Promise<Config["agents"]> {
  const agents = await buildAgents(merged.agents, locations.home);
  if (agents.some((agent) => agent.role !== "subagent" && !agent.hidden)) return agents;
  problems.add(
    { file: "agent" },
    "every mode is switched off. `build` was kept; enable one of yours.",
  );
  const others = new Map(merged.agents);
  others.delete("build");
  return buildAgents(others, locations.home);
}
