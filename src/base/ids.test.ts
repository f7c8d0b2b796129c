import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { ID_PREFIXES, idFromBytes, isId, ulidSource } from "./ids.ts";

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

test("[BUS-05] every identifier that is made is one that is accepted, of its own kind only", async () => {
  await holds(
    fc.property(bytes, fc.constantFrom(...ID_PREFIXES), (value, prefix) => {
      const id = idFromBytes(prefix, value);
      expect(ID_PREFIXES.filter((other) => isId(other, id))).toEqual([prefix]);
    }),
  );
});

test("[BUS-05] 16 bytes and their identifier are one to one, and sort alike", async () => {
  await holds(
    fc.property(bytes, bytes, (a, b) => {
      const [first, second] = [idFromBytes("sess", a), idFromBytes("sess", b)];
      expect(Math.sign(Buffer.compare(a, b))).toBe(first === second ? 0 : first < second ? -1 : 1);
    }),
  );
  expect<string>(idFromBytes("log", new Uint8Array(16))).toBe("log_00000000000000000000000000");
  expect<string>(idFromBytes("log", new Uint8Array(16).fill(255))).toBe("log_7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
});

test("[BUS-05] what 128 bits cannot hold, other alphabets and other lengths are refused", () => {
  const good = "call_01JQ4ZZZZZ0123456789ABCDEF";
  expect(isId("call", good)).toBe(true);
  for (const bad of [
    good.replace("_0", "_8"),
    good.toLowerCase(),
    good.slice(0, -1),
    `${good}0`,
    `${good}\n`,
    ` ${good}`,
    good.replace("F", "U"),
    good.replace("F", "I"),
    good.replace("_", "-"),
    good.replace("call", "CALL"),
    "call_",
    "",
  ]) {
    expect({ bad, accepted: isId("call", bad) }).toEqual({ bad, accepted: false });
  }
});

test("[BUS-05] identifiers sort in the order they were made, also when the clock is set back", async () => {
  await holds(
    fc.property(fc.array(fc.nat(2 ** 40), { minLength: 2, maxLength: 30 }), fc.nat(255), (times, filling) => {
      const clock = [...times];
      const source = ulidSource(
        () => clock.shift() ?? 0,
        (count) => new Uint8Array(count).fill(filling),
      );
      const made = times.map(() => source.next("inp"));
      expect([...made].sort()).toEqual(made);
      expect(new Set(made).size).toBe(made.length);
    }),
  );
});
