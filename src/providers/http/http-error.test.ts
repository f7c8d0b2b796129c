import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { presentableMessage, providerErrorFrom } from "./http-error.ts";
import { retryAfterMs } from "./retry-after.ts";

const ASKED = { provider: "own", model: "m", nowMs: 0 };

function errorFor(status: number, body: string): { readonly reason: string; readonly message: string } {
  const { reason, message } = providerErrorFrom({ status, headers: new Headers(), body }, ASKED);
  return { reason, message };
}

test("[PROV-05] the error bodies of gateways and local servers are read in each of their spellings", () => {
  const spellings = [
    '{"error":{"message":"it broke"}}',
    '{"error":"it broke"}',
    '{"message":"it broke"}',
    '{"detail":"it broke"}',
    '{"code":500,"msg":"it broke","success":false}',
    '[{"error":{"message":"it broke"}}]',
    "it broke",
  ];
  for (const body of spellings) {
    expect(errorFor(500, body)).toEqual({
      reason: "ProviderFailed",
      message: "Provider own failed (500): it broke",
    });
  }
});

test("[PROV-09] an unknown model is understood in the words of each server, a wrong address is not taken for one", () => {
  const words = [
    [404, '{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}'],
    [404, '{"error":{"message":"model \\"x\\" not found, try pulling it first"}}'],
    [404, '{"error":{"message":"The model `x` does not exist"}}'],
    [404, '{"error":{"message":"No endpoints found for x/y.","code":404}}'],
    [400, '{"error":{"message":"x/y is not a valid model ID","code":400}}'],
    [400, '{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}'],
  ] as const;
  for (const [status, body] of words) expect(errorFor(status, body).reason).toBe("UnknownModel");
  expect(errorFor(404, "404 page not found").reason).toBe("ProviderRefused");
});

test("[PROV-03] an answer refused for its content is not reported as a refused key", () => {
  const flagged = '{"error":{"code":403,"message":"Your input was flagged by moderation"}}';
  expect(errorFor(403, flagged).reason).toBe("ProviderRefused");
  expect(errorFor(403, '{"error":{"message":"Key disabled"}}').reason).toBe("ProviderKeyRefused");
});

test("[PROV-09] no body makes the reader fail, and no message holds a control character", async () => {
  const body = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((json) => `{"error":${json}}`),
  );
  await holds(
    fc.property(fc.integer({ min: 200, max: 599 }), body, (status, text) => {
      const { message } = errorFor(status, text);
      expect(message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(message.length).toBeLessThan(1_000);
    }),
  );
});

test("[PROV-09] no header makes a wait that is negative or endless", async () => {
  const text = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.double().map(String),
    fc.date().map(String),
  );
  await holds(
    fc.property(text, fc.constantFrom("retry-after", "retry-after-ms"), (value, name) => {
      const headers = new Headers();
      try {
        headers.set(name, value);
      } catch {
        return; // no server can send it
      }
      const ms = retryAfterMs(headers, 1_750_000_000_000);
      if (ms !== undefined) expect(ms).toBeGreaterThanOrEqual(0);
      if (ms !== undefined) expect(Number.isFinite(ms)).toBe(true);
    }),
  );
});

test("[PROV-09] what is shown of a message holds no token that it may have echoed", () => {
  expect(presentableMessage("Incorrect API key provided: sk-proj-abcdefghijklmnop1234. Bearer abc")).toBe(
    "Incorrect API key provided: «redacted:api-key». Bearer «redacted:token»",
  );
  expect(presentableMessage(" \n ")).toBe("no message");
});
