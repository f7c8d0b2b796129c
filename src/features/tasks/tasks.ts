import { join } from "node:path";
import type { ModelSlot } from "../../app/models/model-slot.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import type { Profile } from "../../config/profile.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { HarnessPaths } from "../../session/plan/options.ts";
import type { SessionPart, SessionSurface } from "../../session/session-part.ts";
import { withPacks } from "../../tools/pack.ts";
import type { ToolSource } from "../../tools/tool.ts";
import type { TaskSettings } from "./config.ts";
import { SessionTasks } from "./session-tasks.ts";

/** Turns in a row that the end of a task may begin, with nobody saying anything in between. */
export const WAKES_MAX = 20;

/** The input of a turn that the end of a task begins; what has ended stands beside it. */
const WAKE_TEXT = "(cinch) A task in the background has ended.";

export interface TaskSources {
  readonly world: World;
  readonly keys: TaskSettings;
  readonly paths: HarnessPaths;
  readonly profile: Pick<Profile, "name" | "path" | "toolPacks">;
  readonly slot: Pick<ModelSlot, "name">;
  /** Tells everybody, at any time while the session lives. */
  readonly publish: (event: Event) => void;
}

export interface OpenedTasks {
  readonly tasks: SessionTasks;
  readonly part: SessionPart;
}

/**
 * What runs in the background of one session (ENG-24): the model is told of its end with the next input, or in a turn of
 * its own where `wake` allows that. A turn that was cancelled, failed or came to a limit wakes nothing: whoever stopped
 * something sees no more of it happen by itself.
 */
export async function runningTasks(sources: TaskSources): Promise<OpenedTasks> {
  const { world, keys, publish } = sources;
  let surface: SessionSurface | undefined;
  let isBusy = false;
  let isWaking = false;
  let wakes = 0;
  let begun = 0;
  const tasks = new SessionTasks({
    changed: (payload) => publish({ kind: "TaskChanged", payload }),
    onEnded: () => {
      if (!isBusy) wake();
    },
  });
  const tools = keys.schedule === true ? [await scheduling(sources)] : [];
  return {
    tasks,
    part: {
      tools,
      serve(given) {
        surface = given;
      },
      request: [
        async function* background(request, context, next) {
          begun = Math.max(begun, context.turn);
          isBusy = true;
          yield* next(request, context);
        },
      ],
      async onInput(content, { turn }) {
        const [first] = content;
        const isOwn = first?.type === "text" && first.text === WAKE_TEXT;
        if (!isOwn) wakes = 0;
        isWaking = false;
        const text = tasks.report(turn, begun >= turn);
        return text === undefined ? [] : [{ type: "text", text }];
      },
      async onTurnEnd(reason) {
        isBusy = false;
        if (reason === "complete" || reason === "yield") wake();
      },
      commands: {
        async StopTask({ kind, taskId }) {
          if (await tasks.stop(taskId)) return {};
          throw new HarnessError("InvalidCommand", { kind, why: `no task is known as ${taskId}` });
        },
      },
      running: () => tasks.running,
      settle: () => tasks[Symbol.asyncDispose](),
    },
  };

  function wake(): void {
    if (keys.wake !== true || isWaking || surface === undefined || wakes >= WAKES_MAX || !tasks.hasNews)
      return;
    isWaking = true;
    wakes += 1;
    surface.input([{ type: "text", text: WAKE_TEXT }]).catch((thrown: unknown) => {
      isWaking = false;
      world.log.for("tasks").write("warn", "the end of a task could not begin a turn", {
        what: messageOf(thrown),
      });
    });
  }
}

/** The tool that schedules work for later; what it works with is loaded when it is called. */
async function scheduling({ world, paths, profile, slot }: TaskSources): Promise<ToolSource> {
  const { scheduleTools } = await import("./schedule/schedule-tool.ts");
  const own = join(paths.config, "profiles", `${profile.name}.toml`);
  const isNamed = profile.path === own || profile.path.startsWith(EMBEDDED);
  const source = scheduleTools({
    async open() {
      const { openSchedule } = await import("./open-schedule.ts");
      return openSchedule({ world, paths });
    },
    now: () => ({ profile: isNamed ? profile.name : profile.path, model: slot.name }),
  });
  return withPacks(source, profile.toolPacks);
}
