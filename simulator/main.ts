import { parseArguments, usage } from './parse-arguments.ts'
import { type SimulatorOptions, startSimulator } from './start-simulator.ts'

async function run(options: SimulatorOptions): Promise<void> {
  const { url, pathPrefix, apiKey, sites, username, password, fingerprint256, close } = await startSimulator(options)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void close().then(() => process.exit(0)))
  }
  process.once('disconnect', () => process.exit(0)) // the parent process that opened the IPC channel has ended
  const line = { ready: true, url, path_prefix: pathPrefix, api_key: apiKey, sites, username, password, fingerprint256 }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

try {
  const options = parseArguments(process.argv.slice(2))
  if (options === 'help') process.stdout.write(usage)
  else await run(options)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 2
}
