import { randomBytes } from "node:crypto";
import { LandlineError } from "@landline/protocol";
import { jsonBody } from "./api/body.ts";
import { wrongField } from "./api/query.ts";
import { socketOf, type DoorApp, type DoorContext, type DoorRequest } from "./context.ts";
import { clearedCookie } from "./cookie.ts";
import { publicKeyOf } from "./device-keys.ts";

/** Longer than all that is sent here. */
const BODY_BYTES = 8_192;

/**
 * How a page gets in: once it registers a key with the token of its link, and from then on it signs challenges. Where
 * browsers have no keys (plain HTTP from another machine), it registers a secret, which is its token from then on.
 */
export function addAccessRoutes(app: DoorApp, context: DoorContext): void {
  const { auth, deviceKeys, addresses, services } = context;
  app.on("POST", "/access/keys", async (request) => {
    const principal = await auth.authenticateOnce(request.req.raw, socketOf(request));
    const body = await bodyOf(request, context);
    const known = textOf(body, "keyId", true);
    if (known !== null && services.tokens.key(known)?.tokenId === principal.tokenId)
      return answer(request, context, { keyId: known });
    const publicKey = textOf(body, "publicKey", true);
    if (publicKey !== null) mustBeKey(publicKey);
    const secret = publicKey === null ? `ll_${randomBytes(32).toString("base64url")}` : null;
    const keyId = await services.tokens.addKey(
      principal.tokenId,
      publicKey === null ? { secret: secret ?? "" } : { publicKey },
    );
    return answer(request, context, { keyId, ...(secret === null ? {} : { secret }) }, 201);
  });
  app.on("POST", "/access/challenge", (request) =>
    request.json({ challenge: deviceKeys.challenge() }),
  );
  app.on("POST", "/access/token", async (request) => {
    const body = await bodyOf(request, context);
    const origin = textOf(body, "origin") ?? "";
    addresses.checkOrigin(origin, request.req.header("host") ?? "", false);
    const issued = deviceKeys.signIn({
      origin,
      keyId: textOf(body, "keyId") ?? "",
      challenge: textOf(body, "challenge") ?? "",
      signature: textOf(body, "signature") ?? "",
    });
    if (!issued) return auth.refuse(socketOf(request));
    return request.json(issued);
  });
}

function answer(
  request: DoorRequest,
  { services }: DoorContext,
  body: object,
  status: 200 | 201 = 200,
): Response {
  // Browsers that came in by an earlier version have the token in a cookie: it is traded in here, for good.
  const { basePath } = services.address;
  const cookie = clearedCookie(request.req.header("cookie"), request.req.header("host"), basePath);
  return request.json(body, status, cookie === null ? {} : { "set-cookie": cookie });
}

async function bodyOf(request: DoorRequest, { services }: DoorContext) {
  const sent = await jsonBody(request, { ...services.limits, bodyBytes: BODY_BYTES });
  if (typeof sent !== "object" || sent === null)
    throw new LandlineError("invalid-params", { message: "The body must be an object." });
  return sent as Readonly<Record<string, unknown>>;
}

function textOf(
  body: Readonly<Record<string, unknown>>,
  name: string,
  isOptional = false,
): string | null {
  const value = body[name];
  if (value === undefined && isOptional) return null;
  if (typeof value === "string" && value.length <= 1_024) return value;
  throw wrongField(name, "must be a text of at most 1024 characters");
}

function mustBeKey(text: string): void {
  try {
    publicKeyOf(text);
  } catch {
    throw wrongField("publicKey", "must be a P-256 key: SubjectPublicKeyInfo in base64url");
  }
}
