import { readFileSync } from "node:fs";

type Params = Record<string, unknown>;

/** A message of a client, as a seed prints it. */
export interface PrintedMessage {
  readonly name: string;
  readonly method: string;
  readonly params: Params;
}

interface Example {
  readonly name: string;
  readonly is: string;
  readonly method?: string;
  readonly printed: Params;
}

export const seeds = ["000", "001", "002", "003", "004"];

/** Methods that clients call on agents. */
const methods =
  /^(?:initialize|authenticate|session\/(?:new|load|prompt|cancel|set_mode|set_model|set_config_option|list|fork|resume))$/;

function examplesOf(seed: string): Example[] {
  const file = new URL(`../../../protocol/test/seeds/seed-${seed}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { examples: Example[] }).examples;
}

/** Every message of a client in a seed. If only the params are printed, they are the whole message. */
export function messagesOf(seed: string): PrintedMessage[] {
  return examplesOf(seed).flatMap(({ name, is, method = "", printed }) => {
    if (!methods.test(method) || !/^(?:request|params|notification)$/.test(is)) return [];
    return [{ name, method, params: is === "params" ? printed : (printed["params"] as Params) }];
  });
}

/** The result of a method, as a seed prints it. */
export function resultOf(seed: string, method: string): Params {
  const example = examplesOf(seed).find((each) => each.is === "result" && each.method === method);
  if (!example) throw new Error(`Seed ${seed} prints no result of ${method}.`);
  return example.printed;
}
