import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { asLandlineError, LandlineError } from "@landline/protocol";
import { createApp } from "./app.ts";
import type { ServerContext } from "./context.ts";
import { problemResponse } from "./problem.ts";

/** Handles requests. It is loaded with the first request, so that the gateway listens earlier. */
export interface Listener {
  answer(incoming: IncomingMessage, outgoing: ServerResponse): void;
}

export function createListener(context: ServerContext): Listener {
  const { logger } = context.services;
  const app = createApp(context);
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
    // Only requests that are too malformed for the app arrive here.
    errorHandler: (error) => {
      logger.debug("A request could not be read.", { error });
      return problemResponse(new LandlineError("invalid-request", { cause: error }));
    },
  });
  return {
    answer: (incoming, outgoing) => {
      listener(incoming, outgoing).catch((error: unknown) => {
        logger.error("A reply could not be sent.", { error: asLandlineError(error) });
        outgoing.destroy();
      });
    },
  };
}
