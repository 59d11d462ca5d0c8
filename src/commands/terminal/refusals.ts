import type { DomainError } from '#domain/errors.ts'
import { catalogue } from '#http/errors/catalogue.ts'
import { fillPlaceholders } from '#http/errors/fill-placeholders.ts'

/** The command cannot do what was asked. The message says why and what to do next. */
export class CommandRefused extends Error {
  override name = 'CommandRefused'
}

/** Rejects a command `set` without an option. */
export function requireChange(change: object, command: string): void {
  if (Object.values(change).every((value) => value === undefined))
    throw new CommandRefused(`Nothing to change was given. \`voucher-service ${command} --help\` lists the options.`)
}

/** The words of the catalogue. Those that are meant for API clients too do not say why the request failed, so the cause follows. */
export function describeRefusal({ code, details, cause }: DomainError): string {
  const { terminal, en } = { en: undefined, ...catalogue[code] }
  if (typeof terminal === 'function') return terminal(details)
  const text = fillPlaceholders(terminal ?? en ?? `The request failed (${code}).`, details)
  return terminal === undefined && cause instanceof Error ? `${text} (${cause.message})` : text
}
