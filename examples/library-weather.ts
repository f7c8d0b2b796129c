import type { HarnessTool } from "cinch";
import { Harness, HarnessError } from "cinch";

/**
 * An agent with one tool of your own.
 *
 *     ANTHROPIC_API_KEY=... sh scripts/bun.sh examples/library-weather.ts "Do I need an umbrella in Oslo?"
 *
 * A second argument is the address of another server that speaks the Anthropic Messages API.
 */
const [question = "Do I need an umbrella in Oslo?", baseUrl] = process.argv.slice(2);

// What a program of yours would look up. The model never sees this code, only name, description and schema.
const WEATHER = new Map([
  ["Oslo", "8 °C, rain from noon"],
  ["Rome", "24 °C, clear"],
]);

const weather: HarnessTool = {
  name: "weather",
  description: "Tells today's weather in a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  async execute(input) {
    const { city } = input as { city: string }; // it fits the schema, or it would not have come here
    const found = WEATHER.get(city);
    if (found === undefined) throw new Error(`no weather for ${city}`); // the model sees this, and can go on
    return found;
  },
};

const config = {
  apiKey: process.env["ANTHROPIC_API_KEY"] ?? "",
  model: "haiku",
  systemPrompt: "Answer in one sentence.",
  ...(baseUrl === undefined ? {} : { baseUrl }),
};

try {
  await using harness = new Harness(config, [weather], {
    onToolCall: (_id, name, input) => console.error(`calls ${name} ${JSON.stringify(input)}`),
    onToolResult: (_id, result) => console.error(`gets  ${result}`),
  });
  const { text, reason, turns } = await harness.prompt(question);
  console.log(text);
  console.error(`${reason} after ${turns} rounds`);
} catch (error) {
  if (!(error instanceof HarnessError)) throw error; // a mistake in this program: its place is worth seeing
  console.error(`library-weather: ${config.apiKey === "" ? "set ANTHROPIC_API_KEY" : error.message}`);
  process.exitCode = 1;
}
