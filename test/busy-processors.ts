import { spawn } from 'node:child_process'
import { onFileEnd } from './on-file-end.ts'

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
