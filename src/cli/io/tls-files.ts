import { createPrivateKey, X509Certificate } from "node:crypto";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Tls } from "../../server/http/server.ts";
import type { TlsFiles } from "../../server/http/targets.ts";
import { readFlagFile } from "../args/flag-file.ts";

/**
 * Reads the certificate and key of a listener once: a new certificate takes effect at the engine's next start.
 *
 * Refuses, before anything starts, invalid texts, a key of another certificate, and a certificate outside of
 * its validity.
 * @throws HarnessError UsageInvalid, which names the flag.
 */
export async function readTls(files: TlsFiles, nowMs: number): Promise<Tls> {
  const cert = await readFlagFile("--tls-cert", files.cert);
  const key = await readFlagFile("--tls-key", files.key);
  const certificate = parsed(
    `--tls-cert ${files.cert} is not a certificate`,
    () => new X509Certificate(cert),
  );
  const privateKey = parsed(`--tls-key ${files.key} is not a private key without a passphrase`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw unusable(`--tls-key ${files.key} is the key of another certificate than --tls-cert ${files.cert}`);
  const [from, to] = [certificate.validFrom, certificate.validTo];
  if (Date.parse(to) <= nowMs) throw unusable(`--tls-cert ${files.cert} has expired (${to}): make a new one`);
  if (Date.parse(from) > nowMs) throw unusable(`--tls-cert ${files.cert} counts only from ${from} on`);
  return { cert, key };
}

function parsed<Value>(problem: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (thrown) {
    throw unusable(`${problem} (PEM): ${messageOf(thrown)}`, thrown);
  }
}

function unusable(problem: string, cause?: unknown): HarnessError<"UsageInvalid"> {
  return new HarnessError("UsageInvalid", { problem }, cause === undefined ? {} : { cause });
}
