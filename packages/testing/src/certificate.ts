import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a self-signed certificate for localhost, with openssl, and returns its files. */
export async function makeCertificate(folder: string, name = "test"): Promise<TestCertificate> {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const options = "-x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1";
  const files = ["-keyout", key, "-out", cert];
  const args = [...options.split(" "), "-subj", `/CN=${name}`, "-addext", names, ...files];
  await run("openssl", ["req", ...args]);
  return { cert, key };
}
