import { runProgram } from './commands/program.ts'
import { environment } from './config.ts'

// The reader of our output is gone, as after `| head -1`: nobody reads a stack trace either.
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
