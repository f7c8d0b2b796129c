import { HarnessError } from "../../../base/errors.ts";
import { EFFORT_WORDS } from "../../../protocol/effort.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import { waitingText } from "../output/waiting-text.ts";
import type { SlashContext } from "../slash-context.ts";

export async function setModel(model: string, client: SlashContext): Promise<void> {
  if (model === "") return await client.say(`model ${neutraliseLine(client.model)}`);
  const answer = await client.answerTo({ kind: "SetModel", sessionId: client.session, model });
  if (answer instanceof HarnessError) {
    await client.say(refusalText(answer));
    return await client.say(`model ${neutraliseLine(client.model)}, as before`);
  }
  client.model = model;
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
