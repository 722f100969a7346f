import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { unwatchFile, watchFile } from "node:fs";
import { createSecureContext } from "node:tls";
import { LandlineError } from "@landline/protocol";
import type { Logger } from "../telemetry/logger.ts";

/** PEM files. */
export interface CertificateFiles {
  /** With the intermediate certificates. */
  readonly cert: string;
  readonly key: string;
}

export interface LoadedCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Throws `config-invalid`. */
export async function loadCertificate(files: CertificateFiles): Promise<LoadedCertificate> {
  const cert = await read("certificate", files.cert);
  const key = await read("key", files.key);
  const first = parsed(cert, files.cert);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw problem(
      `${files.key} has no usable private key for the certificate in ${files.cert}.`,
      error,
    );
  }
  if (new Date(first.validTo) < new Date())
    throw problem(`The certificate in ${files.cert} expired at ${first.validTo}.`);
  return { cert, key };
}

export interface WatchedCertificate extends Disposable {
  /** Loads the files now. */
  reload(): Promise<void>;
}

/** Calls `use` with the new files whenever they have changed. Files that cannot be used are reported and ignored. */
export function watchCertificate(
  files: CertificateFiles,
  intervalMs: number,
  logger: Logger,
  use: (loaded: LoadedCertificate) => void,
): WatchedCertificate {
  let latest: object | null = null;
  const reload = async () => {
    const turn = {};
    latest = turn;
    try {
      const loaded = await loadCertificate(files);
      if (latest !== turn) return;
      use(loaded);
      logger.info("the certificate was loaded again", { file: files.cert });
    } catch (error) {
      logger.error("The changed certificate can't be used; the earlier one is kept.", { error });
    }
  };
  const paths = [files.cert, files.key];
  const options = { interval: intervalMs, persistent: false };
  for (const path of paths) watchFile(path, options, () => void reload());
  return {
    reload,
    [Symbol.dispose]: () => {
      latest = null;
      for (const path of paths) unwatchFile(path);
    },
  };
}

async function read(what: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const because = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`;
    throw problem(`The ${what} ${path}: ${because}.`, error);
  }
}

function parsed(cert: Buffer, path: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw problem(`${path} is not a certificate in PEM format.`, error);
  }
}

function problem(message: string, cause?: unknown): LandlineError {
  return new LandlineError("config-invalid", {
    message,
    help: "Name PEM files with --cert and --key: the certificate with its chain, and its private key.",
    ...(cause !== undefined && { cause }),
  });
}
