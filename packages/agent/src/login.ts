import { text } from "node:stream/consumers";
import { homeFolder } from "@landline/system/home-folders";
import { openCredentials, type Credentials } from "./model/credentials.ts";
import { environmentKeys } from "./model/available-keys.ts";
import { displayName, knownProvider, knownProviders } from "./model/known-providers.ts";
import { UsageError } from "./usage-error.ts";

/** Stores a provider's key: prompts on a terminal, reads stdin otherwise. */
export async function login(provider: string | undefined): Promise<number> {
  const credentials = await openKeys();
  if (credentials.problem !== undefined) throw new Error(credentials.problem);
  const isAttended = process.stdin.isTTY && process.stderr.isTTY;
  if (provider !== undefined) await requireProvider(provider);
  const entered = isAttended ? await ask(provider) : await read(provider);
  if (entered === null) return say("Nothing was stored.", 1);
  await credentials.store(entered.provider, entered.key);
  const name = displayName(entered.provider);
  return say(
    `The key for ${name} is stored in ${credentials.path}, readable only by you. \`landline agent logout ${entered.provider}\` removes it.`,
    0,
  );
}

/** Deletes one stored key, or all of them. */
export async function logout(provider: string | undefined): Promise<number> {
  const credentials = await openKeys();
  if (credentials.problem !== undefined) throw new Error(credentials.problem);
  const stored = credentials.providers();
  const removed = provider === undefined ? stored : stored.filter((id) => id === provider);
  for (const id of removed) await credentials.remove(id);
  const about = removed.map(displayName).join(", ");
  const none =
    provider === undefined ? "No key is stored." : `No key of ${displayName(provider)} is stored.`;
  say(removed.length === 0 ? none : `Removed: ${about}.`, 0);
  const left = environmentKeys(process.env)
    .filter((key) => provider === undefined || key.provider === provider)
    .map(({ variable }) => variable);
  if (left.length > 0) say(`Keys in the environment still apply: ${left.join(", ")}.`, 0);
  return 0;
}

function openKeys(): Promise<Credentials> {
  return openCredentials({ environment: process.env, home: homeFolder(process.env) });
}

interface Entered {
  provider: string;
  key: string;
}

/** Null when the user cancelled. Prompts go to stderr. */
async function ask(given: string | undefined): Promise<Entered | null> {
  const { isCancel, password, select } = await import("@clack/prompts");
  const output = process.stderr;
  const options = knownProviders.map(({ id, name, keyVariables }) => ({
    value: id,
    label: name,
    hint: keyVariables[0] ?? "",
  }));
  const provider =
    given ?? (await select({ message: "Which provider is the key for?", options, output }));
  if (isCancel(provider)) return null;
  const key = await password({
    message: `The API key of ${displayName(provider)}`,
    validate: (value) => keyProblem(value ?? ""),
    output,
  });
  return isCancel(key) ? null : { provider, key: key.trim() };
}

async function read(provider: string | undefined): Promise<Entered> {
  if (provider === undefined) {
    const names = knownProviders.map(({ id }) => id).join(", ");
    throw new UsageError(
      `Name the provider, and give its key on standard input: landline agent login PROVIDER < key-file. The providers are: ${names}.`,
    );
  }
  const key = (await text(process.stdin)).trim();
  const problem = keyProblem(key);
  if (problem !== undefined) throw new UsageError(problem);
  return { provider, key };
}

function keyProblem(key: string): string | undefined {
  if (key.trim() === "") return "There is no key. Give it on standard input, alone.";
  if (/\s/u.test(key.trim())) return "A key is one word, and this has spaces or lines in it.";
  return undefined;
}

/** Accepts known providers and those of the configuration. */
async function requireProvider(id: string): Promise<void> {
  if (knownProvider(id)) return;
  const { openProject } = await import("./config/project.ts");
  const { config } = await openProject({
    cwd: process.cwd(),
    directories: [],
    environment: process.env,
    home: homeFolder(process.env),
  });
  if (Object.hasOwn(config.providers, id)) return;
  const names = [...knownProviders.map((known) => known.id), ...Object.keys(config.providers)];
  throw new UsageError(`There is no provider ${id}. There are: ${names.join(", ")}.`);
}

function say(words: string, code: number): number {
  process.stderr.write(`${words}\n`);
  return code;
}
