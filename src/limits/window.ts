/** The state of one window after a request was counted in it. */
export type Window = { count: number; resetMs: number }

/**
 * Counts a request in the key's window, opening a new one where none runs. Atomic over all processes. `known` is a window of
 * another store that counted meanwhile: counting goes on from there.
 */
export type Counter = (key: string, known?: Window) => Promise<Window>

export const windowSeconds = 60
