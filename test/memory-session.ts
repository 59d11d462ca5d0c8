import type { Session, SharedSession } from '#drivers/driver.ts'

/** The session of a driver that is tested without a database. */
export function memorySession(): SharedSession {
  let current: Session | null = null
  return {
    find: async () => current,
    async renew(stale, signIn) {
      if (current === null || current.tokens === stale?.tokens)
        current = { id: crypto.randomUUID(), tokens: await signIn() }
      return current
    },
    async rotate(session) {
      if (current?.id === session.id) current = session
    },
  }
}
