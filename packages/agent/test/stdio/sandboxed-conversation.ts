import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentProcess } from "./agent-process.ts";
import { AcpConversation } from "./acp-conversation.ts";

/** A script whose command line does not show what it does. */
const act = `case "$1" in
make) echo made > made.txt ;;
link) ln -s ../outside .github ;;
hooks) mkdir .husky; echo ran > .husky/pre-commit; echo made > made.txt ;;
waits) mkdir .husky; echo $$; exec sleep 3600 ;;
write) echo x > ../outside/x ;;
new) echo x > ../outside/new-$2 ;;
denied) echo x > ../denied/x ;;
key) cat ../.ssh/id_rsa ;;
env) cat .env ;;
append) echo x >> .env ;;
tee) echo z | tee ../outside/x ;;
says) cat says-$2; exit 1 ;;
folders) node -e 'fs.mkdirSync("../outside/new/folder", { recursive: true })' ;;
other) echo y > ../other/y ;;
host) echo "curl: (6) Could not resolve host: $2" >&2; exit 6 ;;
esac
`;

export const sh = (args: string) => ({ tool: "bash", input: { command: `sh act.sh ${args}` } });
export const bash = (command: string) => ({ tool: "bash", input: { command } });

interface Opening {
  config?: object;
  environment?: Record<string, string>;
  home?: string;
}

/** An agent whose model makes these calls, one per step; a text ends the turn. */
export async function open(
  steps: readonly (object | string)[],
  opening: Opening = {},
): Promise<AcpConversation> {
  const { config = {}, environment = {}, home } = opening;
  const folder = home ?? (await mkdtemp(join(tmpdir(), "landline-sandbox-home-")));
  if (home === undefined) {
    for (const name of ["project", "outside", "other", "denied", ".ssh"])
      await mkdir(join(folder, name));
    await writeFile(join(folder, "project/act.sh"), act);
    await writeFile(join(folder, "project/.env"), "SECRET=1\n");
    await writeFile(join(folder, ".ssh/id_rsa"), "KEY\n");
    await writeFile(join(folder, "outside/x"), "");
  }
  const script = join(folder, "script.jsonl");
  const lines = steps.map((step) => (typeof step === "string" ? { say: step } : { calls: [step] }));
  await writeFile(script, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const agent = await AgentProcess.start(["--script", script], {
    HOME: folder,
    LC_ALL: "C",
    LANDLINE_AGENT_CONFIG_CONTENT: JSON.stringify({ local_providers: false, ...config }),
    ...environment,
  });
  return AcpConversation.begin(agent, folder);
}
