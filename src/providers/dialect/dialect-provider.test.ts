import { expect, test } from "bun:test";
import { testWorld } from "../../../test/support/world.ts";
import { customProvider } from "../custom/custom.ts";

test("[OBS-01] a provider names the host and port of its address", () => {
  const serverOf = (baseUrl: string) =>
    customProvider(
      { name: "own", kind: "openai-compatible", baseUrl },
      { world: testWorld(), send: () => Promise.reject(new Error("nothing is sent")) },
    ).server;
  expect(serverOf("https://models.example.org/v1")).toEqual({ address: "models.example.org", port: 443 });
  expect(serverOf("http://10.0.0.7/v1")).toEqual({ address: "10.0.0.7", port: 80 });
  expect(serverOf("http://[::1]:8080/v1")).toEqual({ address: "::1", port: 8_080 });
});
