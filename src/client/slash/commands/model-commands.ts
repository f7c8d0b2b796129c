import { HarnessError } from "../../../base/errors.ts";
import { EFFORT_WORDS } from "../../../protocol/effort.ts";
import { storedKeyText } from "../../../view/models/stored-key-text.ts";
import { waitingText } from "../../../view/notes/waiting-text.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { SlashContext } from "../slash-context.ts";

export async function setModel(model: string, client: SlashContext): Promise<void> {
  if (model === "") return await client.say(`model ${neutraliseLine(client.model)}`);
  const answer = await client.answerTo({ kind: "SetModel", sessionId: client.session, model });
  if (answer instanceof HarnessError) {
    await client.say(refusalText(answer));
    return await client.say(`model ${neutraliseLine(client.model)}, as before`);
  }
  client.modelChosen(model);
  await client.say(`model ${neutraliseLine(model)} from the next round on`);
  for (const notice of answer.result?.notices ?? []) await client.say(neutraliseLine(notice));
}

export async function setEffort(word: string, client: SlashContext): Promise<void> {
  const effort = EFFORT_WORDS.find((each) => each === word);
  if (effort === undefined) return await client.say(`/effort needs one of ${EFFORT_WORDS.join(", ")}.`);
  const { session: sessionId, model } = client;
  const refused = await client.send({ kind: "SetModel", sessionId, model, effort });
  if (refused === undefined) await client.say(`effort ${effort} from the next round on`);
}

const NOT_BEHIND =
  "Write /key PROVIDER alone: what is typed here stays on the screen and in the lines that the up key brings back. The key is asked for, and not shown. If you have typed a key here, make a new one at the provider.";
const NOT_OVER_NETWORK =
  "This client came over a network address, which takes no key. On the engine's machine: cinch creds add PROVIDER, then start the engine again.";
const NOT_HIDDEN =
  "There is no terminal here that could hide a key. Run cinch creds add PROVIDER, which also reads one from a pipe, then start the engine again.";

/** Runs `/key PROVIDER`: reads the key unseen, and has the engine store it. No word that may be a key is repeated. */
export async function storeKey([provider, ...more]: readonly string[], client: SlashContext): Promise<void> {
  if (more.length > 0) return await client.say(NOT_BEHIND);
  if (client.overNetwork) return await client.say(NOT_OVER_NETWORK);
  if (client.askSecret === undefined) return await client.say(NOT_HIDDEN);
  const answer = await client.query({ kind: "ListProviders", models: false });
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  const known = answer.providers.map(({ name }) => name);
  if (provider === undefined || !known.includes(provider)) {
    const names = neutraliseLine(known.join(", "));
    return await client.say(`/key needs the name of a provider, and no key. Known: ${names}`);
  }
  const key = await client.askSecret(`Key of ${neutraliseLine(provider)} (not shown): `);
  if (key === undefined) return await client.say("No key was given. Nothing was stored.");
  const stored = await client.answerTo({ kind: "StoreProviderKey", provider, key });
  if (stored instanceof HarnessError) return await client.say(refusalText(stored));
  await client.say(storedKeyText(provider, stored.result));
}

export async function runWithdraw([word]: readonly string[], client: SlashContext): Promise<void> {
  if (word === undefined) return await client.say(waitingText(client.waiting));
  const input = client.waiting[Number(word) - 1];
  if (input === undefined)
    return await client.say("Nothing with this number is waiting; /withdraw lists what is.");
  await client.send({ kind: "WithdrawInput", sessionId: client.session, inputId: input.inputId });
}

export async function runCompact(client: SlashContext): Promise<void> {
  const { session: sessionId } = client;
  const result = await client.request({ kind: "CompactSession", sessionId });
  if (result?.compacted === false) await client.say("Nothing to compact: the conversation is short already.");
}

export async function runPlan([word]: readonly string[], client: SlashContext): Promise<void> {
  const { session: sessionId } = client;
  if (word !== undefined && word !== "off")
    return await client.say("Write /plan to plan first, /plan off to end that.");
  if (word === "off") return void (await client.send({ kind: "ExitPlanMode", sessionId, approve: true }));
  if (client.planMode) return await client.say("Plan mode is on. /plan off ends it.");
  await client.send({ kind: "EnterPlanMode", sessionId });
}
