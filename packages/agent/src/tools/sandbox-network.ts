import type { SandboxNetwork } from "@landline/sandbox";
import { isHostPattern, isOpenTo, withHosts } from "@landline/sandbox/host-pattern";
import type { CommandFacts, Verdict } from "@landline/shell";
import { isPrivateName } from "./private-address.ts";

/** Whether a command that uses the network can have what it needs of it. The sandbox filters what the command does not name. */
export function isServedBy(network: SandboxNetwork, { hosts }: CommandFacts): boolean {
  if (typeof network === "string") return network === "on";
  return network.length > 0 && hosts.every((host) => isOpenTo(network, host));
}

/** What a line that a person or a rule allowed may use: the hosts that it names, where they are all of them. */
export function allowedNetwork(network: SandboxNetwork, { facts }: Verdict): SandboxNetwork {
  const { commands, unreadable } = facts;
  const hosts = commands.flatMap((command) => command.hosts);
  const isKnown = unreadable === null && hosts.length > 0 && commands.every(namesItsHosts);
  return isKnown ? withHosts(network, hosts) : "on";
}

function namesItsHosts(command: CommandFacts): boolean {
  const { effects, hosts, unknown, deviation } = command;
  if (unknown !== null || effects.has("execute") || effects.has("project")) return false;
  if (!effects.has("network")) return true;
  return hosts.length > 0 && deviation === null && hosts.every((host) => isFiltered(command, host));
}

/** Only programs that speak HTTP can be filtered by host. Names of this machine mean another one in a sandbox. */
function isFiltered({ program, words }: CommandFacts, host: string): boolean {
  if (!isHostPattern(host) || isPrivateName(host.replace(/:\d+$/, ""))) return false;
  if (program === "curl" || program === "wget") return true;
  return words.some((word) => /^https?:/i.test(word) && URL.parse(word)?.host === host);
}
