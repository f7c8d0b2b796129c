import { join } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { selectPacks } from "../../tools/select-packs.ts";
import type { ToolSource } from "../../tools/tool.ts";
import { tasksSection } from "./config.ts";
import { TaskReports } from "./task-reports.ts";

/** Limit for turns in a row that the end of a task may begin, without input from a person in between. */
export const WAKES_MAX = 20;

/** Input of a turn that the end of a task begins; the report is attached. */
const WAKE_TEXT = "(cinch) A task in the background has ended.";

/**
 * Opens the reports of background tasks in one session (ENG-24): the model learns of an end with the next input, or
 * in a separate turn if `wake` allows that. A turn that was cancelled, failed or reached a limit wakes nothing: a
 * user who stopped something sees no more of it happen by itself.
 */
export async function openTasks(host: SessionHost): Promise<OpenFeature> {
  const keys = settingsOf(tasksSection, host.plan());
  const reports = new TaskReports(host.background);
  let isBusy = false;
  let isWaking = false;
  let wakes = 0;
  let turnsBegun = 0;
  let isOver = false;
  host.background.onChange(({ taskId, state }) => {
    if (state === "running") return;
    reports.ended(taskId);
    if (!isBusy && !isOver) wake();
  });
  const tools = keys.schedule === true ? [await scheduling(host)] : [];
  return {
    tools,
    around: [
      {
        request: "context",
        run(request, context, next) {
          turnsBegun = Math.max(turnsBegun, context.turn);
          isBusy = true;
          return next(request, context);
        },
      },
    ],
    async onInput(content, { turn }) {
      const [first] = content;
      const isOwn = first?.type === "text" && first.text === WAKE_TEXT;
      if (!isOwn) wakes = 0;
      isWaking = false;
      const text = reports.report(turn, turnsBegun >= turn);
      return text === undefined ? [] : [{ type: "text", text }];
    },
    async onTurnEnd(reason) {
      isBusy = false;
      if (reason === "complete" || reason === "yield") wake();
    },
    commands: {
      async StopTask({ kind, taskId }) {
        if (await host.background.stop(taskId)) return {};
        throw new HarnessError("InvalidCommand", { kind, why: `no task is known as ${taskId}` });
      },
    },
    async settle() {
      isOver = true;
    },
  };

  function wake(): void {
    if (keys.wake !== true || isWaking || wakes >= WAKES_MAX || !reports.hasNews) return;
    isWaking = true;
    wakes += 1;
    host.send([{ type: "text", text: WAKE_TEXT }]).catch((thrown: unknown) => {
      isWaking = false;
      host.world.log.for("tasks").write("warn", "the end of a task could not begin a turn", {
        what: messageOf(thrown),
      });
    });
  }
}

/** Returns the tool that schedules work for later. The schedule is loaded with the first call. */
async function scheduling({ world, paths, plan, model }: SessionHost): Promise<ToolSource> {
  const { scheduleTools } = await import("./schedule/schedule-tool.ts");
  const { profile } = plan();
  const profilePath = join(paths.config, "profiles", `${profile.name}.toml`);
  const isNamed = profile.path === profilePath || profile.path.startsWith(EMBEDDED);
  const source = scheduleTools({
    async open() {
      const { openSchedule } = await import("./open-schedule.ts");
      return openSchedule({ world, paths });
    },
    now: () => ({ profile: isNamed ? profile.name : profile.path, model: model.name }),
  });
  return selectPacks(source, profile.toolPacks);
}
