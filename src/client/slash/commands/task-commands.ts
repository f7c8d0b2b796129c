import { shortened } from "../../../base/text/text.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import type { SlashContext } from "../slash-context.ts";

const TASK_CHARACTERS_MAX = 60;

type TasksContext = Pick<SlashContext, "session" | "tasks" | "say" | "send">;

/** Runs `/tasks` and `/tasks stop N`, also written `/tasks:stop N`. */
export async function runTasks([verb, ...words]: readonly string[], client: TasksContext): Promise<void> {
  if (verb === "stop") return await stopTask(words, client);
  if (client.tasks.length === 0) return await client.say("Nothing runs in the background.");
  const lines = client.tasks.map(({ taskId, what, state, detail, isUncertain }, at) => {
    const doubt = isUncertain === true ? " (it may have ended: events are missing)" : "";
    const how = `${detail === undefined ? "" : ` (${neutraliseLine(detail)})`}${doubt}`;
    return `  ${at + 1}  ${state}${how}  ${shortened(neutraliseLine(what), TASK_CHARACTERS_MAX)}  ${taskId}`;
  });
  await client.say([...lines, "/tasks:stop N ends one."].join("\n"));
}

async function stopTask([word]: readonly string[], client: TasksContext): Promise<void> {
  const task = client.tasks[Number(word) - 1] ?? client.tasks.find(({ taskId }) => taskId === word);
  if (task === undefined)
    return await client.say("There is no task with this number or id; /tasks lists them.");
  await client.send({ kind: "StopTask", sessionId: client.session, taskId: task.taskId });
}
