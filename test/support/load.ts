import { spawn } from 'node:child_process'
import { onFileEnd } from './on-file-end.ts'

/** Processes the items with this many clients in parallel. */
export async function withClients<T>(clients: number, items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}

export function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i)
}

/** An endless loop. It ends when its parent process ends, in whatever way. */
const spin = 'const parent = process.ppid; while (process.ppid === parent);'

/** Starts processes that use all the processor time they get. Returns a function that stops them. */
export function keepProcessorsBusy(processes: number): () => void {
  const children = Array.from({ length: processes }, () => spawn(process.execPath, ['-e', spin], { stdio: 'ignore' }))
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
  }
  onFileEnd(stop)
  return stop
}
