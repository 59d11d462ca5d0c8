/** How often a waiting caller is looked after, and after how many looks without any answer the other side is given up. */
const lookEveryMs = 25
const silentLooks = 4
/** A look this late says that our own process was busy; it proves nothing about the other side. */
const busyMs = 10

type Waiting = { giveUp: (error: Error) => void }

/**
 * Tells a server that hangs from one that is slow: it is given up only when it answered nobody for 100 ms in which we
 * ourselves were awake. A timer per call would blame it for our own load.
 */
export function watchAnswers(): <T>(answer: Promise<T>) => Promise<T> {
  const waiting = new Set<Waiting>()
  let timer: NodeJS.Timeout | undefined
  let silent = 0
  let due = 0

  function look(): void {
    const onTime = performance.now() - due < busyMs
    // An answer that lies in the socket is read before an immediate runs.
    setImmediate(() => {
      if (onTime) silent += 1
      if (silent > silentLooks) giveUpAll()
      else if (waiting.size > 0) arm()
    })
  }

  function arm(): void {
    due = performance.now() + lookEveryMs
    timer = setTimeout(look, lookEveryMs)
  }

  function giveUpAll(): void {
    for (const { giveUp } of waiting) giveUp(new Error(`No answer for ${lookEveryMs * silentLooks} ms`))
  }

  return async (answer) => {
    const { promise: given, reject: giveUp } = Promise.withResolvers<never>()
    const entry = { giveUp }
    if (waiting.size === 0) {
      silent = 0
      arm()
    }
    waiting.add(entry)
    answer.catch(() => {}) // its fate after a race that it lost
    try {
      const result = await Promise.race([answer, given])
      silent = 0
      return result
    } finally {
      waiting.delete(entry)
      if (waiting.size === 0) clearTimeout(timer)
    }
  }
}
