import type { Config, ProviderConfig } from "../config/config.ts";
import type { Credentials } from "./credentials.ts";
import { knownProvider, type KnownProvider } from "./known-providers.ts";

/** How to reach a provider, from configuration, environment and stored keys. */
export interface ProviderSettings {
  id: string;
  name: string;
  kind: NonNullable<ProviderConfig["kind"]>;
  baseUrl: string;
  apiKey: string | undefined;
  /** The source of the key for display, never the key. */
  keySource: string | undefined;
  headers: Record<string, string>;
  /** True with a key, or with a configured address that may need none. */
  usable: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Sources {
  config: Pick<Config, "providers">;
  environment: Environment;
  credentials: Pick<Credentials, "key">;
}

/** Null when it is unknown or has no address. */
export function providerSettings(id: string, sources: Sources): ProviderSettings | null {
  const known = knownProvider(id);
  const config = ownOf(sources.config.providers, id);
  const fallback = known?.baseUrl ?? defaultUrl(config?.kind);
  const given = givenUrl(known, config, sources.environment);
  const baseUrl = given ?? fallback;
  if ((known === undefined && config === undefined) || baseUrl === undefined) return null;
  const key = keyOf(id, known, config, sources);
  const kind = config?.kind ?? known?.kind ?? "openai-compatible";
  return {
    id,
    name: config?.name ?? known?.name ?? id,
    kind,
    baseUrl: versioned(baseUrl, kind),
    apiKey: key?.value,
    keySource: key?.source,
    headers: config?.headers ?? {},
    usable: key !== undefined || config?.baseUrl !== undefined || hasAuthorization(config),
  };
}

/** A message when the configured address is not valid. */
export function addressProblem(id: string, sources: Sources): string | null {
  const known = knownProvider(id);
  const config = ownOf(sources.config.providers, id);
  if (config?.baseUrl !== undefined && !isAddress(config.baseUrl)) {
    return `The address of the provider “${id}” in the config is not an http address: “${config.baseUrl}”. It is left out.`;
  }
  const variable = known?.baseUrlVariables.find((name) => filled(sources.environment[name]));
  const value = variable === undefined ? undefined : sources.environment[variable];
  if (variable === undefined || value === undefined || isAddress(value)) return null;
  return `${variable} is not an http address: “${value}”. It is left out.`;
}

function keyOf(
  id: string,
  known: KnownProvider | undefined,
  config: ProviderConfig | undefined,
  { environment, credentials }: Sources,
): { value: string; source: string } | undefined {
  if (filled(config?.apiKey)) return { value: config.apiKey, source: "the config" };
  for (const name of known?.keyVariables ?? []) {
    const value = environment[name];
    if (filled(value)) return { value: value.trim(), source: name };
  }
  const stored = credentials.key(id);
  return stored === undefined ? undefined : { value: stored, source: "the stored keys" };
}

function givenUrl(
  known: KnownProvider | undefined,
  config: ProviderConfig | undefined,
  environment: Environment,
): string | undefined {
  const named = (known?.baseUrlVariables ?? []).map((name) => environment[name]);
  return [config?.baseUrl, ...named].find((value) => filled(value) && isAddress(value));
}

function defaultUrl(kind: ProviderConfig["kind"]): string | undefined {
  return kind === undefined || kind === "openai-compatible"
    ? undefined
    : knownProvider(kind)?.baseUrl;
}

/**
 * Anthropic's and Google's own tools expect the address without the version that the AI SDK needs, so both
 * forms are common.
 */
function versioned(baseUrl: string, kind: ProviderSettings["kind"]): string {
  const url = baseUrl.trim().replace(/\/+$/, "");
  if (kind === "anthropic") return /\/v\d+$/.test(url) ? url : `${url}/v1`;
  if (kind === "google") return /\/v\d+(beta|alpha)?$/.test(url) ? url : `${url}/v1beta`;
  return url;
}

function hasAuthorization(config: ProviderConfig | undefined): boolean {
  return Object.keys(config?.headers ?? {}).some((name) => /authorization|api-key/i.test(name));
}

function isAddress(text: string): boolean {
  return URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol);
}

function ownOf<Value>(values: Record<string, Value>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function filled(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}
