import { expect, test } from "bun:test";
import { conversationModels, findRoute, routedModels } from "./route.ts";

const ROUTE = {
  name: "mixed",
  model: "a:main",
  fallback: ["b:second", "a:main", "c:third"],
  rules: [
    { model: "c:small", role: "summary" },
    { model: "d:large", inputAbove: 100_000, role: "main" },
    { model: "c:cheap", spentAbove: 2 },
  ],
} as const;

const about = { role: "main", inputTokens: 10, spentUsd: 0 } as const;

test("[PROV-07] the first rule that fits names the model, before the route's own and its fall-back chain", () => {
  const rest = ["a:main", "b:second", "c:third"];
  expect(routedModels(ROUTE, about)).toEqual(rest);
  expect(routedModels(ROUTE, { ...about, role: "summary", inputTokens: 900_000, spentUsd: 9 })).toEqual([
    "c:small",
    ...rest,
  ]);
  expect(routedModels(ROUTE, { ...about, inputTokens: 100_001 })).toEqual(["d:large", ...rest]);
  expect(routedModels(ROUTE, { ...about, inputTokens: 100_000 })).toEqual(rest);
  expect(routedModels(ROUTE, { ...about, role: "sub-agent", inputTokens: 100_001 })).toEqual(rest);
  expect(routedModels(ROUTE, { ...about, spentUsd: 2.01 })).toEqual(["c:cheap", ...rest]);
});

test("[PROV-07 SES-13] the window of a route is that of the largest model that a conversation is sent to as it grows", () => {
  expect(conversationModels(ROUTE)).toEqual(["d:large", "a:main"]);
});

test("[PROV-07] an unknown route is reported with the known ones", () => {
  expect(() => findRoute([ROUTE], "mixd")).toThrow("does not know the model 'mixd'");
  expect(() => findRoute([ROUTE], "mixd")).toThrow("routes: mixed");
  expect(() => findRoute([], "mixd")).toThrow("config.toml has no [routing.NAME]");
});
