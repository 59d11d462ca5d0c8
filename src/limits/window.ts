/** The state of one window after a request was counted in it. */
export type Window = { count: number; resetMs: number }

/** Counts a request in the key's window, opening a new one where none runs. Atomic over all processes. */
export type Counter = (key: string) => Promise<Window>

export const windowSeconds = 60
