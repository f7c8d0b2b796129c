import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import { foldTurn, NEW_TURN, turnResult } from "../src/view/turn-result.ts";
import { preferProgram } from "./support/requires.ts";
import type { ToldTurn } from "./support/turn-clients.ts";
import { openTurnClients, toldBy } from "./support/turn-clients.ts";

const FOLDER = join(import.meta.dir, "data/turns");

/** Recorded turns by their names. */
const TURNS: ReadonlyMap<string, readonly Envelope[]> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .map((file) => {
      const lines = readFileSync(join(FOLDER, file), "utf8").trim().split("\n");
      return [file.replace(/\.jsonl$/, ""), lines.map((line): Envelope => JSON.parse(line))] as const;
    }),
);

/** The one result of each. */
const RESULTS: Readonly<Record<string, ToldTurn>> = JSON.parse(
  readFileSync(join(FOLDER, "results.json"), "utf8"),
);

/** Fields that a client does not have, by turn. */
const LEFT_OUT: Readonly<Record<string, (turn: ToldTurn) => readonly (keyof ToldTurn)[]>> = {
  // An error of JSON-RPC has a reason and a message.
  ACP: ({ reason }) =>
    reason === "error" || reason === "empty"
      ? ["text", "reason", "rounds", "costUsd", "usage", "tools", "refused"]
      : [],
  // A prompt that fails or is cancelled rejects.
  library: ({ reason }) =>
    reason === "error" || reason === "cancelled" ? ["text", "rounds", "costUsd"] : [],
};

const NAMES = [...TURNS.keys()];
const opened = openTurnClients(TURNS);
afterAll(async () => await (await opened)[Symbol.asyncDispose]());

test("[CLI-01] a recorded turn has the result that stands beside it", () => {
  expect(Object.keys(RESULTS).sort()).toEqual(NAMES.toSorted());
  const folded = [...TURNS].map(([name, events]) => [
    name,
    toldBy(turnResult(events.reduce(foldTurn, NEW_TURN))),
  ]);
  expect(Object.fromEntries(folded)).toEqual(RESULTS);
});

const CLIENTS = [
  ["-p as text", test, ["text"]],
  ["-p as JSON", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  ["-p as stream-json", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  ["REST", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  ["WebSocket", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  ["MCP", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  ["ACP", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  ["library", test, ["text", "reason", "rounds", "costUsd", "error"]],
  ["TypeScript SDK", test, ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"]],
  [
    "Python SDK",
    preferProgram("python3"),
    ["text", "reason", "rounds", "costUsd", "usage", "tools", "error", "refused"],
  ],
] as const satisfies readonly (readonly [string, unknown, readonly (keyof ToldTurn)[]])[];

for (const [client, testing, fields] of CLIENTS) {
  testing(
    `[CLI-01 CTL-06 CTL-08 CTL-16 SDK-01 LIB-02] ${client} gives the one result of every recorded turn`,
    async () => {
      const { clients } = await opened;
      const told = await clients[client]?.(NAMES);
      const expected = NAMES.map((name) => {
        const turn = RESULTS[name] ?? {};
        const left = LEFT_OUT[client]?.(turn) ?? [];
        return [
          name,
          picked(
            turn,
            fields.filter((field) => !left.includes(field)),
          ),
        ];
      });
      const seen = NAMES.map((name, at) => {
        const [turn = {}, one = {}] = [RESULTS[name], told?.[at]];
        const left = LEFT_OUT[client]?.(turn) ?? [];
        return [
          name,
          picked(
            one,
            fields.filter((field) => !left.includes(field)),
          ),
        ];
      });
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
    },
    60_000,
  );
}

function picked(turn: ToldTurn, fields: readonly (keyof ToldTurn)[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, turn[field]]));
}
