/** Which version of Anthropic's wire is spoken; required with every request. */
export const ANTHROPIC_VERSION_HEADER = { "anthropic-version": "2023-06-01" };
