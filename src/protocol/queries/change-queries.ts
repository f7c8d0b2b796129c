import * as z from "zod";
import { HUNK_CONTEXT_LINES_MAX, Hunk } from "../events/hunk.ts";
import { CallIdSchema, SessionIdSchema } from "../ids.ts";
import { defineQuery } from "./query.ts";

/** Unchanged lines around each change, unless a client requests another number. */
export const HUNK_CONTEXT_LINES = 3;
const PATH_UNITS_MAX = 4_096;

/** A number, from 0. */
const count = z.int().min(0);

/** One changed file. Since protocol 0.3.0. */
const FileChange = z.object({
  /** Below the working directory, with `/`; absolute for a file outside of it. */
  path: z.string(),
  /** Kind of the change. */
  kind: z.enum(["added", "changed", "removed", "renamed"]),
  /** The earlier path of a renamed file. */
  from: z.string().optional(),
  /** "calls": changed by calls alone; "both": by somebody else too; "unknown": in a turn that was cut off. */
  by: z.enum(["calls", "both", "unknown"]),
  /** Set if a side is not UTF-8 text: it has no lines. */
  binary: z.literal(true).optional(),
  /** Type and permissions before the change, as git numbers them: 100644; 120000 is a link. Absent without a file. */
  old_mode: z.string().optional(),
  /** The same after the change. Absent if the file was removed. */
  mode: z.string().optional(),
  /** Lines added; 0 if they were not compared. */
  added: count,
  /** Lines removed; 0 if they were not compared. */
  removed: count,
  /** The changed places. Absent if they are not shown. */
  hunks: z.array(Hunk).optional(),
  /** The same as a patch for `git apply`. Absent if `cut`, `binary` or `missing`. */
  unified: z.string().optional(),
  /** Size of the file: after the change, or before it if it was removed. */
  bytes: count,
  /** Set if hunks were left out because of a limit. */
  cut: z.literal(true).optional(),
  /** Set if its content is not shown: the reason. */
  missing: z.string().optional(),
});

/** Queries about changed files (CTL-19). Since protocol 0.3.0. */
export const CHANGE_QUERIES = {
  GetChanges: defineQuery({
    about:
      "The files that a call, a turn or a whole session changed, with their lines, from cinch's checkpoints and not from git. Secrets in them are redacted.",
    params: z
      .object({
        sessionId: SessionIdSchema,
        turn: z.int().min(1).optional(),
        callId: CallIdSchema.optional(),
        path: z.string().min(1).max(PATH_UNITS_MAX).optional(),
        context: z.int().min(0).max(HUNK_CONTEXT_LINES_MAX).optional(),
      })
      .refine(({ turn, callId }) => turn === undefined || callId === undefined, {
        path: ["callId"],
        error: "cannot be given with a turn",
      }),
    result: z.object({
      /** By path. */
      files: z.array(FileChange),
      /** True if every change is listed, with all of its lines. */
      complete: z.boolean(),
      /** Set if changes are not known: the reason. */
      missing: z.string().optional(),
      /** Number of changed files beyond the limit. */
      left_out: z.int().min(1).optional(),
    }),
    reads: "session",
    rest: {
      path: "/v1/sessions/{id}/changes",
      fields: {
        turn: "Only the changes of this turn.",
        callId: "Only the changes of this call: the files right before and right after it.",
        path: "Only this file, or the files below this folder.",
        context: `Unchanged lines around each change, at most ${HUNK_CONTEXT_LINES_MAX}. Default: ${HUNK_CONTEXT_LINES}.`,
      },
    },
    refusals: ["UnknownResource"],
  }),
  GetWorkspace: defineQuery({
    about:
      "The working directory of a session, with branch and status of the git repository around it. Nothing that the repository names is run.",
    params: z.object({ sessionId: SessionIdSchema }),
    result: z.object({
      /** Absolute path of the working directory. */
      working_dir: z.string(),
      /** Absent outside of a repository. */
      git: z
        .object({
          /** Top of the working tree. */
          root: z.string(),
          /** Absent if HEAD names a commit. */
          branch: z.string().optional(),
          /** Name of the commit. Absent before the first one. */
          head: z.string().optional(),
          /** Name of the upstream branch. */
          upstream: z.string().optional(),
          /** Commits that the upstream lacks. Absent without an upstream. */
          ahead: count.optional(),
          /** Commits of the upstream that are missing here. Absent without an upstream. */
          behind: count.optional(),
          /** Number of files with a change in the index. */
          staged: count.optional(),
          /** Number of tracked files that differ from the index; conflicts count too. */
          changed: count.optional(),
          /** Number of untracked files; an untracked folder counts once. Ignored ones do not count. */
          untracked: count.optional(),
          /** Set if the status is not known: the reason. */
          problem: z.string().optional(),
        })
        .optional(),
    }),
    reads: "session",
    rest: { path: "/v1/sessions/{id}/workspace" },
  }),
} as const;
