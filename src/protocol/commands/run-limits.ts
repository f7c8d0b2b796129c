/** Characters of the text that one session adds to its system text. */
export const APPENDED_CHARACTERS_MAX = 20_000;
/** Rules that are allowed for one session when it is opened, and characters of each. */
export const ALLOW_RULES_MAX = 100;
export const ALLOW_CHARACTERS_MAX = 8_192;
/** Folders that one session has besides its working directory, and characters of each path. */
export const ADDED_FOLDERS_MAX = 16;
export const ADDED_FOLDER_CHARACTERS_MAX = 4_096;

/** Bytes of one attached file. */
export const ATTACHMENT_BYTES_MAX = 20_971_520;

/** Bytes of a command that a person runs. */
export const SHELL_COMMAND_BYTES_MAX = 65_536;

/** Characters of a provider's key, and of the name of the provider. */
export const PROVIDER_KEY_CHARACTERS_MAX = 8_192;
export const PROVIDER_NAME_CHARACTERS_MAX = 64;
