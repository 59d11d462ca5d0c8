import { Unavailable } from '#db/database.ts'
import { DomainError } from '#domain/errors.ts'
import { DecryptionFailed } from '#lib/cipher.ts'
import { SettingsError } from '#lib/settings.ts'
import { shellWord } from './output.ts'
import { CommandRefused, describeRefusal } from './refusals.ts'

/** The message and exit code for an error: a sentence if it was foreseen, otherwise the stack. */
export function describeFailure(error: unknown): { message: string; exitCode: number } {
  if (error instanceof SettingsError) return { message: error.message, exitCode: 2 }
  if (error instanceof DecryptionFailed) return { message: describeUndecryptable(error), exitCode: 2 }
  return { message: describeOther(error), exitCode: 1 }
}

function describeOther(error: unknown): string {
  if (error instanceof CommandRefused) return error.message
  if (error instanceof DomainError) return describeRefusal(error)
  if (error instanceof Unavailable) return describeUnavailable(error)
  const { syscall, port } = error as NetworkError
  if (syscall === 'listen' || (syscall === 'getaddrinfo' && port === undefined))
    return describeListenError(error as NetworkError)
  return (error as Error).stack ?? String(error)
}

function describeUndecryptable({ message }: DecryptionFailed): string {
  return (
    `These stored secrets cannot be decrypted with ENCRYPTION_KEYS: ${message}\n` +
    'Add the key that encrypted them to ENCRYPTION_KEYS. If it is lost, enter them again; see `voucher-service controllers set --help`.'
  )
}

type NetworkError = NodeJS.ErrnoException & { address?: string; port?: number }

/** PostgreSQL's error codes that have a remedy, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const remedies: Record<string, (message: string) => string> = {
  '3D000': (message) => `Create it with \`createdb ${shellWord(/"(.*)"/.exec(message)?.[1] ?? 'vouchers')}\`.`,
  '28P01': () => 'Check the user name and password in DATABASE_URL.',
  '28000': () => 'Check the user name in DATABASE_URL, and who may connect in pg_hba.conf.',
  '53300': () => 'Raise max_connections in postgresql.conf, or lower DATABASE_POOL_SIZE.',
}

function describeUnavailable({ message, cause }: Unavailable): string {
  if (!(cause instanceof Error)) return `${message}.`
  const [failed = cause] = cause instanceof AggregateError ? cause.errors : [] // one error for each address of the host
  const { code, address, port } = failed as NetworkError
  if (code === undefined)
    return `PostgreSQL cannot be reached: ${failed.message}. Check DATABASE_URL, and that PostgreSQL is running.`
  const isAnswer = /^(?=.*\d)[0-9A-Z]{5}$/.test(code) // an SQLSTATE, unlike EPIPE
  if (isAnswer) return `PostgreSQL answered: ${failed.message}. ${remedies[code]?.(failed.message) ?? ''}`.trimEnd()
  const where = address === undefined ? '' : ` at ${address}:${port}`
  return `PostgreSQL cannot be reached${where} (${code}). Check DATABASE_URL, and that PostgreSQL is running.`
}

function describeListenError({ code, address = 'LISTEN_ADDRESS', port }: NetworkError): string {
  const remedies: Record<string, string> = {
    EADDRINUSE: 'Another program uses this port. Stop it, or set PORT to another one.',
    EACCES: 'This user may not use the port. Set PORT to one above 1023.',
  }
  const remedy = remedies[String(code)] ?? 'Set LISTEN_ADDRESS to an address of this machine.'
  return `Cannot listen on ${address}:${port ?? 'PORT'} (${code}). ${remedy}`
}
