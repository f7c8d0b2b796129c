import { expect, test } from "bun:test";
import { hkdfSync } from "node:crypto";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { deriveKey } from "./derive-key.ts";

test("[CRED-01] a derived key is the one of HKDF-SHA256, so that what was sealed under it stays readable", async () => {
  const sources = fc.uint8Array({ minLength: 32, maxLength: 32 });
  await holds(
    fc.property(sources, fc.string({ unit: "binary", maxLength: 200 }), (source, purpose) => {
      expect(deriveKey(source, purpose)).toEqual(new Uint8Array(hkdfSync("sha256", source, "", purpose, 32)));
    }),
  );
});
