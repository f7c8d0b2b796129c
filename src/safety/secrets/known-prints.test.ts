import { expect, test } from "bun:test";
import { Secret } from "../../base/brand.ts";
import { redactor } from "../redact.ts";
import { FORMER_PRINTS_MAX, KnownPrints } from "./known-prints.ts";
import type { SecretPrint } from "./known-secret.ts";
import { fingerprintSecrets } from "./known-secret.ts";

const SALT = new Uint8Array(16);
const [ONE, OTHER] = ["Zc81Qn5RwPd27LxUe0YbTf94Ma", "Hq39Bv7TnKs64GjCo1XiWr58Du"];

function printsOf(...keys: readonly string[]): readonly SecretPrint[] {
  return fingerprintSecrets(
    keys.map((key) => new Secret("api-key", key)),
    SALT,
  );
}

test("[SES-05 CTL-19] a redactor finds a key from the moment that it is known, also in a stream that is open and in JSON", () => {
  const known = new KnownPrints();
  const secrets = redactor(known);
  const stream = secrets.stream();
  const before = secrets.prints;
  expect([secrets.text(ONE), secrets.json({ [ONE]: 1 }), stream.push(`${ONE} `)]).toEqual([
    ONE,
    { [ONE]: 1 },
    `${ONE} `,
  ]);
  known.replace(printsOf(ONE));
  expect(secrets.prints).not.toBe(before);
  const mark = "«redacted:api-key»";
  expect([secrets.text(ONE), secrets.json({ [ONE]: 1 })]).toEqual([mark, { [mark]: 1 }]);
  expect(stream.push(`${ONE.slice(0, 9)}`) + stream.push(ONE.slice(9)) + stream.end()).toBe(mark);
});

test("[SES-05 CTL-19] a key that was replaced is still found, those that were replaced long ago are not", () => {
  const known = new KnownPrints();
  known.replace(printsOf(ONE));
  known.replace(printsOf(OTHER));
  known.replace(printsOf(OTHER));
  const secrets = redactor(known);
  expect(secrets.text(`${ONE} ${OTHER}`)).toBe("«redacted:api-key» «redacted:api-key»");
  expect(known.all.length).toBe(printsOf(ONE, OTHER).length);
  const numbered = (at: number): SecretPrint => ({
    ...{ kind: "api-key", start: "abc", characters: 20, salt: "00" },
    sha256: `${at}`,
  });
  for (let at = 0; at <= FORMER_PRINTS_MAX; at++) known.replace([numbered(at)]);
  expect(known.all.length).toBe(1 + FORMER_PRINTS_MAX);
  expect(secrets.text(ONE)).toBe(ONE);
});
