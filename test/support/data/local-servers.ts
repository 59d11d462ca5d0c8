import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

const versions = '/usr/lib/postgresql'

/** The folder with the programs of the newest PostgreSQL on this machine; undefined if there is none. */
export function findPostgresPrograms(): string | undefined {
  try {
    const [newest] = readdirSync(versions).toSorted((a, b) => Number(b) - Number(a))
    return newest === undefined ? undefined : join(versions, newest, 'bin')
  } catch {
    return undefined
  }
}

/** A program of the newest PostgreSQL. */
export function postgresProgram(name: string): string {
  const folder = findPostgresPrograms()
  if (folder === undefined) throw new Error(`PostgreSQL is not installed in ${versions}`)
  return join(folder, name)
}

/** The account `postgres` when the test runs as root, because PostgreSQL does not run as root. */
export function accountOfServers(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/**
 * A free port outside the range from which the system takes the ports of outgoing connections (32768 to 60999). Inside this
 * range, a connection of another process may take and keep the port before the server starts, or while it restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false)
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Whether a server accepts connections on this port. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isUp = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isUp
}
