import { expect, test } from "bun:test";
import { floorViolations, machineGlobal } from "./support/floors.ts";
import { codeOf, filesUnder, importsOf, isTest, readSource } from "./support/source.ts";

const FILES = filesUnder("src", "**/*.{ts,tsx}").filter(
  (file) => !isTest(file) && !file.startsWith("src/demo/project/"),
);

function violations(path: string, source: string): readonly string[] {
  return floorViolations(path, importsOf(source));
}

test("[ENG-01] every folder has a floor and every import goes down", () => {
  const found = FILES.flatMap((file) => violations(file.slice("src/".length), readSource(file)));
  expect(found).toEqual([]);
});

test("neutral rooms use web standards only", () => {
  const found = FILES.flatMap((file) => {
    const global = machineGlobal(file.slice("src/".length), codeOf(readSource(file)).text);
    return global === undefined ? [] : [`${file}: ${global}`];
  });
  expect(found).toEqual([]);
});

test("[ENG-01 CTL-05] an engine that knew a provider, a client or a transport would be caught", () => {
  const path = "engine/loop.ts";
  expect(violations(path, `import { openrouter } from "../provider/openrouter/openrouter.ts";`)).toHaveLength(
    1,
  );
  expect(violations(path, `import type { Line } from "../client/line/line.ts";`)).toHaveLength(1);
  expect(violations(path, `const rest = await import("../control/rest/rest.ts");`)).toHaveLength(1);
  expect(violations(path, `export type { Rule } from "../permission/rule.ts";`)).toHaveLength(1);
  expect(violations(path, `export * from "../control/inproc/inproc.ts";`)).toHaveLength(1);
  expect(violations(path, `type Rest = import("../control/rest/rest.ts").Rest;`)).toHaveLength(1);
  expect(violations(path, "await import(`../provider/${name}.ts`);")).toHaveLength(1);
  expect(violations(path, `import { hostClock } from "../host/clock.ts";`)).toHaveLength(1);
  expect(violations(path, `import type { Provider } from "../provider/provider.ts";`)).toEqual([]);
  expect(violations(path, `import { step } from "./step.ts"; import { sep } from "node:path";`)).toEqual([]);
});

test("rooms on one floor do not know each other, and an implementation knows its contract", () => {
  expect(violations("provider/zai/zai.ts", `import "../openrouter/openrouter.ts";`)).toHaveLength(1);
  expect(violations("provider/provider.ts", `import "./openrouter/openrouter.ts";`)).toHaveLength(1);
  expect(violations("provider/provider.ts", `import type { Tool } from "../tool/tool.ts";`)).toHaveLength(1);
  expect(violations("provider/zai/zai.ts", `import "../dialect/chat.ts"; import "../provider.ts";`)).toEqual(
    [],
  );
});

test("a client sees the wire and nothing else", () => {
  expect(violations("client/line/line.ts", `import type { Tool } from "../../tool/tool.ts";`)).toHaveLength(
    1,
  );
  expect(violations("client/kit/kit.ts", `import "../../trust/fence.ts";`)).toHaveLength(1);
  expect(violations("client/tui/tui.ts", `import "../line/line.ts";`)).toHaveLength(1);
  const allowed = `import type { Command } from "../../protocol/commands.ts"; import "../kit/kit.ts";`;
  expect(violations("client/line/line.ts", allowed)).toEqual([]);
});

test("neutral rooms that reach for the machine would be caught", () => {
  expect(violations("base/text.ts", `import { join } from "node:path";`)).toHaveLength(1);
  expect(violations("client/kit/kit.ts", `import { Database } from "bun:sqlite";`)).toHaveLength(1);
  expect(machineGlobal("protocol/read.ts", "const bytes = Buffer.from(text);")).toBe("Buffer");
  expect(machineGlobal("base/text.ts", "Bun.sleep(1)")).toBe("Bun");
  expect(machineGlobal("base/text.ts", "interface A { process: string } a.process")).toBeUndefined();
  expect(machineGlobal("host/clock.ts", "process.pid")).toBeUndefined();
});

test("a folder without a floor, and a way out of src, would be caught", () => {
  expect(violations("helpers/misc.ts", "")).toEqual(["helpers/misc.ts: its folder stands on no floor"]);
  expect(violations("control/new-wire/wire.ts", "")).toHaveLength(1);
  expect(violations("stray.ts", "")).toHaveLength(1);
  expect(violations("cli/main.ts", `import "../../test/support/world.ts";`)).toHaveLength(1);
  expect(violations("cli/main.ts", `import { version } from "../../package.json";`)).toEqual([]);
});
