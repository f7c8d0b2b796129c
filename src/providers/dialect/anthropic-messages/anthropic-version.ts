/** Version of Anthropic's API; required with every request. */
export const ANTHROPIC_VERSION_HEADER = { "anthropic-version": "2023-06-01" };
