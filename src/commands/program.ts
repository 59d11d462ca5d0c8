import { Command, CommanderError } from 'commander'
import { asErrors, isJournal } from '#lib/journal.ts'
import { serviceVersion } from '#lib/version.ts'
import { listSettingsFiles, readSettingsFiles } from './terminal/settings-file.ts'
import type { Terminal } from './terminal/terminal.ts'

type Register = (command: Command, terminal: Terminal) => void | Promise<void>

/**
 * Every command, in the order of the help. A command's module is imported only when the command line names it, because all
 * of them together take 1.5 s of processor time.
 */
const commands: Record<string, { about: string; hidden?: true; load: () => Promise<Register> }> = {
  start: {
    about: 'migrate the database, then run api and worker in one process',
    load: async () => (await import('./service/run.ts')).registerStart,
  },
  api: { about: 'run only the api', load: async () => (await import('./service/run.ts')).registerApi },
  worker: { about: 'run only the worker', load: async () => (await import('./service/run.ts')).registerWorker },
  migrate: {
    about: 'update the database to this version; safe to repeat and to run in several processes at once',
    load: async () => (await import('./migrate.ts')).registerMigrate,
  },
  backup: {
    about: 'back up the database to a file with pg_dump; the file does not contain the encryption keys',
    load: async () => (await import('./backup/backup.ts')).registerBackup,
  },
  restore: {
    about: 'restore a backup into an empty database, and hold the service until `resume`',
    load: async () => (await import('./backup/restore.ts')).registerRestore,
  },
  hold: {
    about: 'stop creating and withdrawing vouchers and sending notifications, in every process',
    load: async () => (await import('./backup/hold.ts')).registerHold,
  },
  resume: {
    about: 'end the hold that `restore`, `hold` or a first `import` began',
    load: async () => (await import('./backup/hold.ts')).registerResume,
  },
  controllers: {
    about: 'network controllers and their credentials',
    load: async () => (await import('./controllers/controllers.ts')).registerControllers,
  },
  sites: {
    about: 'sites and the controllers they belong to',
    load: async () => (await import('./sites/sites.ts')).registerSites,
  },
  reconcile: {
    about: 'find vouchers that this service created but no longer has on record; adopt or withdraw them',
    load: async () => (await import('./reconcile.ts')).registerReconcile,
  },
  templates: {
    about: 'named durations and limits for new vouchers',
    load: async () => (await import('./templates.ts')).registerTemplates,
  },
  keys: { about: 'API keys', load: async () => (await import('./keys.ts')).registerKeys },
  staff: {
    about: 'people who sign in to the web app',
    load: async () => (await import('./people/staff.ts')).registerStaff,
  },
  webhooks: {
    about: 'receivers of notifications',
    load: async () => (await import('./webhooks.ts')).registerWebhooks,
  },
  guests: {
    about: 'what is stored about one guest: show, export and erase it',
    load: async () => (await import('./guests/guests.ts')).registerGuests,
  },
  audit: {
    about: 'the record of who changed what',
    load: async () => (await import('./audit.ts')).registerAudit,
  },
  import: {
    about: 'move in from another system',
    load: async () => (await import('./import/import.ts')).registerImport,
  },
  doctor: {
    about: 'check settings, database, Redis, controllers, webhooks and PUBLIC_URL, and say how to fix problems',
    load: async () => (await import('./doctor/doctor.ts')).registerDoctor,
  },
  secrets: {
    about: 'keys that encrypt the stored secrets',
    load: async () => (await import('./secrets.ts')).registerSecrets,
  },
  demo: {
    about: 'try the service with simulated controllers; needs only a PostgreSQL (DATABASE_URL, or the local one)',
    load: async () => (await import('./demo.ts')).registerDemo,
  },
  dev: {
    about: 'run the service for development; it restarts when its sources change',
    hidden: true,
    load: async () => (await import('./demo.ts')).registerDev,
  },
  draw: {
    about: 'draw slips for the process that started this one',
    hidden: true,
    load: async () => (await import('./draw.ts')).registerDraw,
  },
  simulator: {
    about: 'run a simulated controller on 127.0.0.1; simulator --help shows its options',
    load: async () => (await import('./demo.ts')).registerSimulator,
  },
}

/**
 * Runs one command line and returns its exit code. The commands that run a service return as soon as it has started; it
 * then keeps the process alive.
 */
export async function runProgram(
  argv: string[],
  surroundings: Pick<Terminal, 'env' | 'stdin' | 'stdout' | 'stderr'>,
): Promise<number> {
  const terminal: Terminal = { ...surroundings, argv, json: false, exitCode: 0 }
  try {
    terminal.env = readSettingsFiles(listSettingsFiles(argv), surroundings.env)
    const program = await createProgram(terminal)
    await program.parseAsync(argv, { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2 // it has printed its message already
    const { describeFailure } = await import('./terminal/failures.ts')
    const { message, exitCode } = describeFailure(error)
    const text = `voucher-service: ${message}`
    terminal.stderr.write(`${isJournal(2, surroundings.env) ? asErrors(text) : text}\n`)
    return exitCode
  }
}

async function createProgram(terminal: Terminal): Promise<Command> {
  const program = new Command()
    .name('voucher-service')
    .description('Guest Wi-Fi vouchers for all your UniFi sites.')
    .version(serviceVersion(), '--version', 'print the version')
    .option('--json', 'print JSON')
    .option('--settings <file>', 'read settings from a file with lines NAME=value; of several files, the last one wins')
    .showHelpAfterError('(--help lists the commands and options)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      '\nSettings come from the environment, or from --settings; docs/settings.md lists them.\nExit codes: 0 done, 1 rejected or failed, 2 wrong usage or settings.',
    )
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .exitOverride()
    .hook('preAction', () => {
      terminal.json = program.opts()['json'] === true
    })
  for (const [name, { about, hidden = false, load }] of Object.entries(commands)) {
    const command = program.command(name, { hidden }).description(about)
    if (!terminal.argv.includes(name)) continue
    const register = await load()
    await register(command, terminal)
  }
  return program
}
