/** Variables that locate Google credentials. They hold no secret, and stay in the engine's environment. */
export const GOOGLE_VARIABLES = [
  "GOOGLE_APPLICATION_CREDENTIALS",
  "CLOUDSDK_CONFIG",
  "GCE_METADATA_HOST",
  "HOME",
] as const;
