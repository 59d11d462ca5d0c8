import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { onFileEnd } from './on-file-end.ts'

export type PrivateRedis = { url: string; signal(signal: NodeJS.Signals): void }

/** A Redis of the test's own, to be killed or stopped. */
export async function startRedis(): Promise<PrivateRedis> {
  const port = await freePort()
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: 'ignore',
    },
  )
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  while (!(await answers(port))) await wait(20)
  return { url: `redis://127.0.0.1:${port}`, signal: (signal) => void child.kill(signal) }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
