import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { type Queryable, tcpKeepAlive } from '#db/database.ts'
import { DatabaseClient } from '#db/database-client.ts'
import { keepListening, notifyListener, tryToListen } from './jobs.queries.ts'

/** How often a worker tries to become the listener, and how often the listener checks its connection. */
const checkEveryMs = 1_000
const connectWithinMs = 10_000
/** Less than the 10 s after which the server ends a silent session: the listener stops acting before another one starts. */
const electedForMs = 5_000

export type Listener = {
  isListening(): boolean
  /** Whether no other worker can be the listener now, even if this process was frozen or its connection is silent. */
  isElected(): boolean
  stop(): Promise<void>
}

type ListenerOptions = {
  /** Settings of the connection. */
  connection: pg.ClientConfig
  /** Called with the name of a queue that has new jobs. */
  onWake: (queue: string) => void
  /** Called when this process begins to listen. It may have missed wake-ups before. */
  onListening: () => void
  onError: (error: Error) => void
}

/** Listens for wake-ups if no other worker does. A lost wake-up only delays a job until the next poll. */
export function startListener({ connection, onWake, onListening, onError }: ListenerOptions): Listener {
  const stopping = new AbortController()
  let client: DatabaseClient | undefined
  let isListening = false
  let confirmedAt = Number.NEGATIVE_INFINITY

  async function connect(): Promise<DatabaseClient> {
    const connected = new DatabaseClient({ ...connection, ...tcpKeepAlive, connectionTimeoutMillis: connectWithinMs })
    const drop = () => {
      if (client !== connected) return
      client = undefined
      isListening = false
    }
    connected.on('error', drop)
    connected.on('end', drop)
    connected.on('notification', ({ payload = '' }) => onWake(payload))
    await connected.connect()
    return connected
  }

  async function check(): Promise<void> {
    client ??= await connect()
    const sentAt = performance.now()
    if (isListening) {
      await keepListening(client)
      confirmedAt = sentAt
      return
    }
    if (!(await tryToListen(client))) return
    isListening = true
    confirmedAt = sentAt
    onListening()
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await check().catch((error: Error) => {
        if (!stopping.signal.aborted) onError(error)
        client?.doubtServer()
        disconnect()
      })
      await pause(checkEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
    disconnect()
  }

  /** Does not wait for the server: a silent connection would never end. */
  function disconnect(): void {
    const old = client
    client = undefined
    isListening = false
    old?.end().catch(() => {})
  }

  const running = run()
  return {
    isListening: () => isListening,
    isElected: () => isListening && performance.now() - confirmedAt < electedForMs,
    async stop() {
      stopping.abort()
      disconnect()
      await running
    },
  }
}

export type Sender = { send(queue: string): void; flush(): Promise<void> }

/** Sends wake-ups to the listening worker. Wake-ups that are sent while a statement runs share the next statement. */
export function createSender(db: Queryable, onError: (error: Error) => void): Sender {
  const unsent = new Set<string>()
  let sending: Promise<void> | undefined

  async function sendAll(): Promise<void> {
    while (unsent.size > 0) {
      const queues = [...unsent]
      unsent.clear()
      await notifyListener(db, queues).catch(onError) // a poll finds the jobs
    }
    sending = undefined
  }

  return {
    send(queue) {
      unsent.add(queue)
      sending ??= sendAll()
    },
    async flush() {
      await sending
    },
  }
}
