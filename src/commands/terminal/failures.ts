import { Unavailable } from '#db/database.ts'
import { DomainError } from '#domain/errors.ts'
import { DecryptionFailed } from '#lib/cipher.ts'
import { SettingsError } from '#lib/settings.ts'
import { shellWord } from '#lib/shell-word.ts'
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
  const { code, syscall, port } = error as NetworkError
  if (String(code) in remedies) return describeAnswer(error as NetworkError)
  if (syscall === 'listen' || (syscall === 'getaddrinfo' && port === undefined))
    return describeListenError(error as NetworkError)
  return (error as Error).stack ?? String(error)
}

function describeUndecryptable({ message }: DecryptionFailed): string {
  return (
    `These stored secrets cannot be decrypted with ENCRYPTION_KEYS: ${message}\n` +
    'Add the key that encrypted them to ENCRYPTION_KEYS. If it is lost, enter the secrets again: docs/operating.md, “If the key is lost”, says how.'
  )
}

type NetworkError = NodeJS.ErrnoException & { address?: string; hostname?: string; port?: number }

/** PostgreSQL's error codes that have a remedy, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const remedies: Record<string, (message: string) => string> = {
  '3D000': (message) =>
    `Create it with \`sudo -u postgres createdb --owner=<user> ${shellWord(/"(.*)"/.exec(message)?.[1] ?? 'vouchers')}\`, with the user of DATABASE_URL.`,
  '28P01': () => 'Check the user name and password in DATABASE_URL.',
  '28000': () =>
    'Check the user name in DATABASE_URL, and who may connect in pg_hba.conf. The file may require TLS (sslmode=verify-full) or a client certificate (sslcert and sslkey).',
  '53300': (message) => {
    const [, of, name] = /too many connections for (role|database) "(.*)"/.exec(message) ?? []
    const raise =
      of === undefined ? 'raise max_connections in postgresql.conf' : removeConnectionLimit(of, name as string)
    return `Lower DATABASE_POOL_SIZE, or ${raise}.`
  },
  '42501': () =>
    'Set DATABASE_URL to a user who may do this, or grant the right. The demo needs a user who may create databases (`alter role … createdb`).',
  '42P01': () => 'The database is not up to date. Run `voucher-service migrate` first.',
  '42703': () => 'The database is not up to date. Run `voucher-service migrate` first.',
}

/** Says how to remove the connection limit of a role or a database. -1 means that there is none. */
export function removeConnectionLimit(of: string, name: string): string {
  const statement = `alter ${of} "${name}" connection limit -1`
  return `remove the limit of the ${of}: \`sudo -u postgres psql -c ${shellWord(statement)}\``
}

function describeUnavailable({ message, cause }: Unavailable): string {
  if (!(cause instanceof Error)) return `${message}.`
  const [failed = cause] = cause instanceof AggregateError ? cause.errors : [] // one error for each address of the host
  const { code, address, hostname, port } = failed as NetworkError
  if (/client password must be/.test(failed.message))
    return 'PostgreSQL asks for a password, and DATABASE_URL has none. Add it: postgres://user:password@host/database.'
  if (/does not support SSL/.test(failed.message))
    return 'PostgreSQL offers no TLS, but sslmode in DATABASE_URL asks for it. Turn it on with `ssl = on` in postgresql.conf, or write sslmode=disable if nobody else can read this network.'
  if (code === undefined)
    return `PostgreSQL cannot be reached: ${sentence(failed.message)} Check DATABASE_URL, and that PostgreSQL is running.`
  const isAnswer = /^(?=.*\d)[0-9A-Z]{5}$/.test(code) // an SQLSTATE, unlike EPIPE
  if (isAnswer) return describeAnswer(failed)
  const certificateProblem = describeCertificate(failed)
  if (certificateProblem !== undefined) return certificateProblem
  const place = port === undefined ? address : `${address}:${port}` // the path of a socket has no port
  const where = address === undefined ? hostname && ` at ${hostname}` : ` at ${place}`
  return `PostgreSQL cannot be reached${where ?? ''} (${code}). Check DATABASE_URL, and that PostgreSQL is running.`
}

/** Error codes of Node for certificates, https://nodejs.org/api/tls.html#x509-certificate-error-codes. */
function describeCertificate(error: NetworkError & { host?: string; cert?: { subjectaltname?: string } }) {
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of PostgreSQL is not for ${error.host}, but for ${error.cert?.subjectaltname ?? 'no host'}. Write one of these names as the host in DATABASE_URL, or sslmode=verify-ca to check only the authority.`
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(String(error.code)))
    return 'The certificate of PostgreSQL has expired or is not valid yet. Renew it on the server, and check the clock of this machine.'
  if (/ISSUER_CERT|SELF_SIGNED|_SIGNATURE|CERT_(UNTRUSTED|REJECTED)/.test(String(error.code)))
    return 'The certificate of PostgreSQL is signed by an authority that is not trusted. Set sslrootcert in DATABASE_URL to the file with the certificate of this authority.'
  if (/SSL|TLS|CERT|^INVALID_/.test(String(error.code)))
    return `TLS with PostgreSQL failed: ${sentence(error.message)} Check sslmode, sslcert and sslkey in DATABASE_URL.`
  return undefined
}

function describeAnswer({ code, message }: NetworkError): string {
  return `PostgreSQL answered: ${sentence(message)} ${remedies[String(code)]?.(message) ?? ''}`.trimEnd()
}

/** Messages of PostgreSQL have no full stop, those of its client have one. */
function sentence(message: string): string {
  return `${message.replace(/\.$/, '')}.`
}

function describeListenError({ code, address = 'LISTEN_ADDRESS', port }: NetworkError): string {
  const remedies: Record<string, string> = {
    EADDRINUSE: 'Another program uses this port. Stop it, or set PORT to another one.',
    EACCES: 'This user may not use the port. Set PORT to one above 1023.',
  }
  const remedy = remedies[String(code)] ?? 'Set LISTEN_ADDRESS to an address of this machine.'
  return `Cannot listen on ${address}:${port ?? 'PORT'} (${code}). ${remedy}`
}
