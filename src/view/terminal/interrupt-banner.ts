/** Said after each Ctrl-C at a terminal ([A] § TUI). */
export const INTERRUPT_BANNER = "Press Ctrl-C again within 2s to exit.";
