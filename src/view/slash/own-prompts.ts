/** Prompts that come with cinch. Each is a slash command of its own name, and a template that somebody may replace. */
const OWN_PROMPTS = ["init"] as const;

/** Name of a prompt that comes with cinch. */
export type OwnPrompt = (typeof OWN_PROMPTS)[number];

/** Returns true for the name of a prompt that comes with cinch: `/init` means the same as `/prompts:init`. */
export function isOwnPrompt(name: string): name is OwnPrompt {
  return OWN_PROMPTS.some((own) => own === name);
}
