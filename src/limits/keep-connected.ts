import { setTimeout as pause } from 'node:timers/promises'

/** The part of a Redis client that is used here. The client must not reconnect by itself. */
type Client = {
  readonly isReady: boolean
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

type Ask<C extends Client> = <Answer>(command: (client: C) => Promise<Answer>) => Promise<Answer>

type KeptConnection<C extends Client> = {
  /** The function that sends a command; undefined while there is no connection. */
  ready(): Ask<C> | undefined
  close(): void
}

/** The pause before a new connection. It doubles with each failure in a row. */
const firstPauseMs = 50
const maxPauseMs = 1_000

/**
 * Keeps a client connected. Replaces a connection that breaks or that answers nothing for three seconds. A half-open
 * connection reports no error, so the client library would keep it forever.
 */
export function keepConnected<C extends Client>(
  createClient: () => Promise<C>,
  onError: (error: Error) => void,
): KeptConnection<C> {
  let current: { client: C; ask: Ask<C> } | undefined
  let isClosed = false
  let giveUp: (error: Error) => void = () => {}

  /** Uses one connection until it is lost. Returns whether it ever worked. */
  async function useOneConnection(): Promise<boolean> {
    const client = await createClient()
    const { promise: lost, reject } = Promise.withResolvers<never>()
    giveUp = reject
    if (isClosed) reject(new Error('Closed'))
    client.on('error', reject)
    const watched = watchSilence(() => reject(new Error('No answer for 3 seconds. The connection is replaced')))
    try {
      await Promise.race([lost, watched(client.connect())])
      current = { client, ask: (command) => watched(command(client)) }
      return await lost
    } catch (error) {
      if (!isClosed) onError(error as Error)
      return current !== undefined
    } finally {
      current = undefined
      client.destroy()
    }
  }

  async function run(): Promise<void> {
    let pauseMs = firstPauseMs
    while (!isClosed) {
      const worked = await useOneConnection()
      pauseMs = worked ? firstPauseMs : Math.min(2 * pauseMs, maxPauseMs)
      await pause(pauseMs, undefined, { ref: false })
    }
  }
  void run()

  return {
    ready: () => (current?.client.isReady ? current.ask : undefined),
    close() {
      isClosed = true
      giveUp(new Error('Closed'))
    },
  }
}

const tickMs = 500
const maxSilentTicks = 6

/** Calls `onSilence` when answers are missing and no answer arrived for 3 s. Time in which our process stalls does not count. */
function watchSilence(onSilence: () => void): <Answer>(answer: Promise<Answer>) => Promise<Answer> {
  let missing = 0
  let silentTicks = 0
  let timer: NodeJS.Timeout | undefined

  function tick(): void {
    silentTicks += 1
    if (silentTicks === maxSilentTicks) onSilence()
    else timer = setTimeout(tick, tickMs)
  }

  function settled(): void {
    missing -= 1
    silentTicks = 0
    if (missing === 0) clearTimeout(timer)
  }

  return (answer) => {
    if (missing === 0) {
      silentTicks = 0
      timer = setTimeout(tick, tickMs)
    }
    missing += 1
    answer.then(settled, settled)
    return answer
  }
}
