import type { Plugin } from "cinch";
import { roll, spoken } from "./roll.ts";

/** Dice for the model and for people: a tool, and `/dice:roll 2d6`. */
export const plugin: Plugin = {
  name: "dice",
  apiVersion: 1,
  register(harness) {
    harness.tool({
      name: "RollDice",
      description: "Rolls dice. `dice` is written as 2d6: two dice with six sides.",
      inputSchema: {
        type: "object",
        properties: { dice: { type: "string" } },
        required: ["dice"],
        additionalProperties: false,
      },
      level: "ReadOnly",
      mutating: false,
      run: ({ dice }) => spoken(roll(String(dice))),
    });
    // Nothing is read or changed, so nobody need be asked. The person is told of this rule at the start.
    harness.permission("allow", "RollDice");

    harness.commands("dice", [
      {
        name: "roll",
        usage: "NdM",
        help: "roll N dice with M sides",
        run({ args: [dice = "1d6"] }, session) {
          const rolled = roll(dice);
          session.emit("Rolled", rolled);
          return spoken(rolled);
        },
      },
    ]);
  },
};
