import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { KeyRemover, removeKey } from "./remove-key.ts";

const MARK = "«redacted:api-key»";

function cut(key: string, pieces: readonly string[]): string {
  const cutter = new KeyRemover(key);
  const out = pieces.map((piece) => cutter.push(new TextEncoder().encode(piece)));
  return new TextDecoder().decode(Buffer.concat([...out, cutter.end()]));
}

test("[CRED-03 S54] a key is cut out of an answer, wherever the answer was cut", async () => {
  // Few letters, so that beginnings of the key and near misses are everywhere.
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c", "é", "\n"), maxLength: 9 }));
  await holds(
    fc.property(letters, pieces, (key, parts) => {
      expect(cut(key, parts)).toBe(parts.join("").replaceAll(key, MARK));
    }),
  );
});

test("[CRED-03] nothing that cannot begin the key is held back", () => {
  const cutter = new KeyRemover("secret-key");
  expect(Buffer.from(cutter.push(Buffer.from("all of it"))).toString()).toBe("all of it");
  expect(Buffer.from(cutter.push(Buffer.from("up to sec"))).toString()).toBe("up to ");
  expect(Buffer.from(cutter.push(Buffer.from("ond"))).toString()).toBe("second");
});

test("[CRED-03 S54] an answer is handed on with its status and headers, the key out of those too", async () => {
  const pieces = ["data: the key is secr", "et-key, twice: secret-key\n\n", "secr"];
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  const answer = removeKey(
    new Response(body, { status: 203, headers: { "x-echo": "Bearer secret-key" } }),
    "secret-key",
  );
  expect([answer.status, answer.headers.get("x-echo")]).toEqual([203, "Bearer [redacted]"]);
  expect(await answer.text()).toBe(`data: the key is ${MARK}, twice: ${MARK}\n\nsecr`);
});
