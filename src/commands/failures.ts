import { CommandRefused } from '#domain/errors.ts'
import { SealBroken } from '#lib/cipher.ts'
import { SettingsError } from '#lib/settings.ts'
import { Unavailable } from '#lib/unavailable.ts'

/** What the person at the terminal reads: a sentence for what was foreseen, the stack for what was not. */
export function describeFailure(error: unknown): { message: string; exitCode: number } {
  if (error instanceof SettingsError) return { message: error.message, exitCode: 2 }
  if (error instanceof SealBroken) {
    return {
      message: `These stored secrets cannot be decrypted with ENCRYPTION_KEYS: ${error.message}\nAdd the key that encrypted them to ENCRYPTION_KEYS. If it is lost, enter them again; see \`voucher-service controllers set --help\`.`,
      exitCode: 2,
    }
  }
  if (error instanceof CommandRefused) return { message: error.message, exitCode: 1 }
  if (error instanceof Unavailable) {
    return { message: `${error.message}: ${(error.cause as Error | undefined)?.message ?? 'no answer'}`, exitCode: 1 }
  }
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (syscall === 'listen' || (syscall === 'getaddrinfo' && port === undefined)) {
    return { message: `Cannot listen on ${address ?? 'LISTEN_ADDRESS'}:${port ?? 'PORT'} (${code}).`, exitCode: 1 }
  }
  return { message: (error as Error).stack ?? String(error), exitCode: 1 }
}
