import { homeFolder } from "@landline/system/home-folders";
import type { AgentOptions } from "./agent.ts";
import type { Project } from "./config/config.ts";
import { openProject } from "./config/project.ts";
import { openCredentials, type Credentials } from "./model/credentials.ts";
import { openModels, type OpenModels } from "./model/model-selection.ts";

/** What `doctor` and `models` report on. The caller closes `models`. */
export interface Inspection {
  options: AgentOptions;
  home: string;
  project: Project;
  credentials: Credentials;
  models: OpenModels;
}

export async function inspect(options: AgentOptions): Promise<Inspection> {
  const { environment, script, model } = options;
  const home = homeFolder(environment);
  // Before custom tools are run for their description: they must not inherit a stored key.
  const credentials = await openCredentials({ environment, home });
  const project = await openProject({ cwd: process.cwd(), directories: [], environment, home });
  const open = openModels({
    config: { ...project.config, model: model ?? project.config.model },
    credentials,
    environment,
    ...(script !== undefined && { script }),
  });
  await open.settled();
  return { options, home, project, credentials, models: open };
}

/** The reader may close the pipe early, as in `landline agent doctor | head`. */
export function printLine(line: string): void {
  if (process.stdout.listenerCount("error") === 0) {
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  process.stdout.write(`${line}\n`);
}
