import { asLandlineError, sessionGoneCodes, type SessionSummary } from "@landline/protocol";
import type { Session } from "../../sessions/sessions.ts";
import { requireWholeGateway } from "../scope.ts";
import { viewText } from "../view-text.ts";
import { checkedId, type Implementations } from "./operation.ts";
import { streamBody } from "./body-stream.ts";

/** Lists, opens, reads, changes, forks, closes and deletes sessions. */
export const sessionOperations = {
  "list-sessions": async ({ session, ...query }, { services, findSession }) =>
    session === undefined
      ? services.sessions.list(query)
      : { sessions: await summariesOf(findSession(session)), nextCursor: null },
  open: async (request, { services, principal }) =>
    (await services.sessions.open({ ...request, by: principal.clientId })).summary,
  "read-session": async ({ sessionId }, { services, request, context, findSession }) => {
    context.views.take(request);
    const session = await findSession(sessionId);
    const view = viewText(await session.view(), services.limits.viewBytes);
    const opening = Buffer.from(`${JSON.stringify(session.summary).slice(0, -1)},"view":`);
    return new Response(streamBody([opening, view, Buffer.from("}")]), {
      headers: { "content-type": "application/json" },
    });
  },
  rename: async ({ sessionId, title }, { principal, findSession }) => {
    const session = await findSession(sessionId);
    await session.rename(title, principal.clientId);
    return session.summary;
  },
  close: async ({ sessionId }, { principal, findSession }) =>
    (await findSession(sessionId)).close(principal.clientId),
  // Also deletes sessions that cannot be opened.
  delete: ({ sessionId }, { services, principal }) =>
    services.sessions.delete(checkedId(sessionId), principal.clientId),
  fork: async ({ sessionId }, { principal, findSession }) =>
    (await (await findSession(sessionId)).fork(principal.clientId)).summary,
  "set-mode": async ({ sessionId, modeId }, { principal, findSession }) => {
    await (await findSession(sessionId)).setMode(modeId, principal.clientId);
    return { modeId };
  },
  "set-config": async ({ sessionId, configId, value, remember }, { principal, findSession }) => {
    if (remember === true) requireWholeGateway(principal);
    const session = await findSession(sessionId);
    await session.setConfig(configId, value, principal.clientId, remember);
    return { configId, value };
  },
} satisfies Partial<Implementations>;

/** A list omits a session that does not exist. */
async function summariesOf(found: Promise<Session>): Promise<readonly SessionSummary[]> {
  try {
    return [(await found).summary];
  } catch (error) {
    if (!sessionGoneCodes.includes(asLandlineError(error).code)) throw error;
    return [];
  }
}
