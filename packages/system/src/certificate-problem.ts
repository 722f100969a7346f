const problems: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed, and not trusted here",
  SELF_SIGNED_CERT_IN_CHAIN: "the issuer of its certificate is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT: "the issuer of its certificate is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the issuer of its certificate is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the issuer of its certificate is not trusted here",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

const untrusted =
  "If you trust it, name a PEM file with the certificate or its issuer in the environment variable NODE_EXTRA_CA_CERTS";

export interface CertificateProblem {
  /** A clause about the server, such as "its certificate has expired". */
  readonly message: string;
  readonly help: string;
}

/** Why a connection over TLS failed, if the certificate of the server was refused. `whose` needs the environment variable. */
export function certificateProblem(error: unknown, whose: string): CertificateProblem | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const message = problems[code];
    if (message === undefined) continue;
    const help = message.includes("trusted")
      ? `${untrusted} of ${whose}.`
      : "Replace the certificate of that server, or correct the address.";
    return { message, help };
  }
  return null;
}
