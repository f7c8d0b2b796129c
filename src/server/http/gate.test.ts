import { expect, test } from "bun:test";
import { assertHost, tokenOf } from "./gate.ts";

test("[AUTH-06 CTL-10] for other machines any name counts, since the certificate proves it, but only with the right port", () => {
  const host = (name: string) => () => assertHost(new Headers({ host: name }), { port: 8443 });
  for (const name of ["box.example:8443", "192.168.1.7:8443", "[fe80::1]:8443"])
    expect(host(name)).not.toThrow();
  for (const name of ["box.example", "box.example:8444", "a, b:8443", "u@box:8443", ":8443", "box:8443:8443"])
    expect(host(name)).toThrow("This address is not served under the Host");
});

test("[AUTH-06] a token is taken from its own place alone, which each kind of route names", () => {
  const headers = (given: Record<string, string>) => new Headers(given);
  expect(tokenOf(headers({ authorization: "Bearer a.b" }), "bearer")).toBe("a.b");
  expect(tokenOf(headers({ authorization: "Basic a.b" }), "bearer")).toBeUndefined();
  expect(tokenOf(headers({ authorization: "Bearer a.b, Bearer c.d" }), "bearer")).toBeUndefined();
  expect(tokenOf(headers({ authorization: "Bearer a.b" }), "header")).toBeUndefined();
  expect(tokenOf(headers({ "x-harness-token": "a.b" }), "bearer")).toBeUndefined();
  const protocols = { "sec-websocket-protocol": "cinch.v1, cinch.token.a.b" };
  expect(tokenOf(headers(protocols), "subprotocol")).toBe("a.b");
  expect(tokenOf(headers(protocols), "header")).toBeUndefined();
  expect(tokenOf(headers({ ...protocols, "x-harness-token": "c.d" }), "subprotocol")).toBe("c.d");
  expect(tokenOf(headers({}), "subprotocol")).toBeUndefined();
});
