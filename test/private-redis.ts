import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface, type Interface } from 'node:readline'
import { onFileEnd } from './on-file-end.ts'

export type PrivateRedis = { url: string; signal(signal: NodeJS.Signals): void }

/** A Redis of the test's own, to be killed or stopped. A port that was free may be taken before Redis has it. */
export async function startRedis(): Promise<PrivateRedis> {
  for (let attempt = 1; attempt <= 10; attempt++) {
    const started = await startRedisOn(await freePort())
    if (started) return started
  }
  throw new Error('No private Redis could be started')
}

async function startRedisOn(port: number): Promise<PrivateRedis | undefined> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const ready = once(createInterface({ input: child.stdout }).on('line', noteReady), 'ready')
  const isUp = await Promise.race([ready.then(() => true), ended.then(() => false)])
  child.stdout.resume() // it stops when nobody takes its words
  return isUp ? { url: `redis://127.0.0.1:${port}`, signal: (signal) => void child.kill(signal) } : undefined
}

function noteReady(this: Interface, line: string): void {
  if (line.includes('Ready to accept connections')) this.emit('ready')
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
