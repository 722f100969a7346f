import { loadConfig, openTokens, type TokenSummary } from "@landline/gateway";
import type { CommandContext, JsonOption, PlaceOptions } from "../command-context.ts";
import { requireGateway } from "../connect.ts";
import { exitCode } from "../exit-code.ts";
import { pageUrl } from "../page-url.ts";
import { ago, tableLines } from "../table.ts";

/** A running gateway watches the tokens file, so these commands work with or without one. */
export async function newToken(
  { output }: CommandContext,
  name: string,
  {
    role,
    session,
    json,
    ...place
  }: PlaceOptions & JsonOption & Pick<TokenSummary, "role" | "session">,
): Promise<number> {
  using tokens = await openTokens(await loadConfig({ flags: place }));
  const { token, summary } = await tokens.create({
    name,
    role,
    ...(session === undefined ? {} : { session }),
  });
  if (json === true) output.json({ ...summary, token });
  else {
    output.line(token);
    output.note(`This is the token ${summary.id} (${role}). It is not shown again.`);
  }
  return exitCode.done;
}

export async function listTokens(
  { output }: CommandContext,
  { json, ...place }: PlaceOptions & JsonOption,
): Promise<number> {
  using tokens = await openTokens(await loadConfig({ flags: place }));
  const found = tokens.list();
  if (json === true) for (const token of found) output.json(token);
  else {
    const rows = found.map(({ id, name, role, madeAt }) => [
      id,
      role,
      madeAt === 0 ? "" : ago(madeAt, Date.now()),
      name,
    ]);
    for (const line of tableLines([["TOKEN", "ROLE", "MADE", "NAME"], ...rows])) output.line(line);
  }
  return exitCode.done;
}

export async function revokeToken(
  { output }: CommandContext,
  id: string,
  place: PlaceOptions,
): Promise<number> {
  using tokens = await openTokens(await loadConfig({ flags: place }));
  await tokens.revoke(id);
  output.note(`The token ${id} is revoked; a running gateway closes its connections.`);
  return exitCode.done;
}

export async function tokenUrl(
  { output }: CommandContext,
  { json, ...place }: PlaceOptions & JsonOption,
): Promise<number> {
  const options = await loadConfig({ flags: place });
  const gateway = await requireGateway(options);
  const { token } = await gateway.api.addLink();
  const url = pageUrl(options.publicUrl ?? gateway.url, token);
  if (json === true) output.json({ url });
  else output.line(url);
  return exitCode.done;
}
