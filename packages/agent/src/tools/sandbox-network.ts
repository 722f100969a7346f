import type { SandboxNetwork } from "@landline/sandbox";
import { isHostPattern, isOpenTo, withHosts } from "@landline/sandbox/host-pattern";
import type { CommandFacts, Verdict } from "@landline/shell";
import { isPrivateName } from "./private-address.ts";

/** Whether the network access covers a command. The sandbox filters hosts that the command does not name. */
export function servesCommand(network: SandboxNetwork, { hosts }: CommandFacts): boolean {
  if (typeof network === "string") return network === "on";
  return network.length > 0 && hosts.every((host) => isOpenTo(network, host));
}

/** The network access of a permitted line: the hosts that it names, if those are all that it uses. */
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

/** Only HTTP programs can be filtered by host. In a sandbox, local names mean another machine. */
function isFiltered({ program, words }: CommandFacts, host: string): boolean {
  if (!isHostPattern(host) || isPrivateName(host.replace(/:\d+$/, ""))) return false;
  if (program === "curl" || program === "wget") return true;
  return words.some((word) => /^https?:/i.test(word) && URL.parse(word)?.host === host);
}
