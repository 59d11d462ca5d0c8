import { runProgram } from './commands/program.ts'
import { environment } from './config.ts'
import { threads } from './lib/look-up-name.ts'

// Node reads this when the process uses a thread for the first time, which is later.
environment['UV_THREADPOOL_SIZE'] ??= String(threads)

// EPIPE means that the reader of our output has ended, as after `| head -1`. Nobody would read a stack trace then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(1)
  throw error
})

process.exitCode = await runProgram(process.argv.slice(2), {
  env: environment,
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
})
