import { randomBytes } from "node:crypto";
import { socketOf, type ServerContext, type ServerRequest } from "../context.ts";
import { clearedCookie } from "../cookie.ts";
import { publicKeyOf } from "../device-keys.ts";
import { type Implementations, wrongField } from "./operation.ts";

/**
 * Access of pages: a page registers a key with the token of its link, and then signs challenges. Where the browser has
 * no WebCrypto (plain HTTP from another machine), it registers a secret as its token.
 */
export const pageAccessOperations = {
  "register-key": async ({ keyId: known, publicKey }, { request, context, principal }) => {
    const { tokens } = context.services;
    const { tokenId } = principal;
    if (known !== undefined && tokens.key(known)?.tokenId === tokenId)
      return answer(request, context, { keyId: known });
    if (publicKey !== undefined) mustBeKey(publicKey);
    const secret = `ll_${randomBytes(32).toString("base64url")}`;
    const key = publicKey === undefined ? { secret } : { publicKey };
    const keyId = await tokens.addKey(tokenId, key);
    // A page that is reloaded before it stored its key registers again, so the cookie stays until it signs in.
    if ("publicKey" in key) return request.json({ keyId }, 201);
    return answer(request, context, { keyId, ...key }, 201);
  },
  "request-challenge": (_input, { context }) => ({ challenge: context.deviceKeys.challenge() }),
  "request-token": async (signed, { request, context }) => {
    const { addresses, deviceKeys, auth } = context;
    addresses.checkOrigin(signed.origin, request.req.header("host") ?? "", false);
    const access = deviceKeys.signIn(signed) ?? (await auth.refuse(socketOf(request)));
    return answer(request, context, access);
  },
} satisfies Partial<Implementations>;

function answer(
  request: ServerRequest,
  { services }: ServerContext,
  body: object,
  status: 200 | 201 = 200,
): Response {
  // Earlier versions stored the token in a cookie. A page with a key does not need it.
  const { basePath } = services.address;
  const cookie = clearedCookie(request.req.header("cookie"), request.req.header("host"), basePath);
  return request.json(body, status, cookie === null ? {} : { "set-cookie": cookie });
}

function mustBeKey(text: string): void {
  try {
    publicKeyOf(text);
  } catch {
    throw wrongField("publicKey", "must be a P-256 key: SubjectPublicKeyInfo in base64url");
  }
}
